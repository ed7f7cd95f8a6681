//! Functions and source lines of addresses, inlined functions included.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Function, demangled.
    pub function: String,
    /// File.
    pub file: String,
    /// Line.
    pub line: u32,
}

/// The debugging information of an image.
pub struct Source {
    loader: addr2line::Loader,
    known: HashMap<u32, Vec<Location>>,
    files: HashMap<String, Vec<String>>,
}

impl Source {
    /// Of an ELF file.
    ///
    /// # Errors
    /// If it has no debugging information that can be read.
    pub fn new(elf: &Path) -> Result<Self, String> {
        let loader = addr2line::Loader::new(elf).map_err(|e| format!("{}: {e}", elf.display()))?;
        Ok(Source { loader, known: HashMap::new(), files: HashMap::new() })
    }

    /// Where the instruction at `address` comes from: the innermost inlined function first, and
    /// then the places it is inlined into.
    pub fn locations(&mut self, address: u32) -> &[Location] {
        let loader = &self.loader;
        self.known.entry(address).or_insert_with(|| locations(loader, address))
    }

    /// The innermost place.
    pub fn location(&mut self, address: u32) -> Location {
        self.locations(address).first().cloned().unwrap_or_default()
    }

    /// The text of a line; empty where the file cannot be read.
    pub fn text(&mut self, location: &Location) -> &str {
        let lines = self.files.entry(location.file.clone()).or_insert_with(|| {
            let text = fs::read_to_string(&location.file).unwrap_or_default();
            text.lines().map(|line| line.trim().to_owned()).collect()
        });
        let line = (location.line as usize).checked_sub(1).and_then(|index| lines.get(index));
        line.map_or("", String::as_str)
    }
}

fn locations(loader: &addr2line::Loader, address: u32) -> Vec<Location> {
    let mut locations = Vec::new();
    let Ok(mut frames) = loader.find_frames(u64::from(address)) else { return locations };
    while let Ok(Some(frame)) = frames.next() {
        let name = frame.function.as_ref().and_then(|name| name.demangle().ok());
        let function = name.map(|name| without_hash(&name).to_owned()).unwrap_or_default();
        let place = frame.location;
        let file = place.as_ref().and_then(|p| p.file).unwrap_or_default().to_owned();
        let line = place.and_then(|p| p.line).unwrap_or(0);
        locations.push(Location { function, file, line });
    }
    if let Some(outermost) = locations.last_mut().filter(|l| l.function.is_empty()) {
        let symbol = loader.find_symbol(u64::from(address)).unwrap_or_default();
        outermost.function = addr2line::demangle_auto(symbol.into(), None).into_owned();
    }
    if locations.is_empty() {
        let symbol = loader.find_symbol(u64::from(address)).unwrap_or_default();
        let function = addr2line::demangle_auto(symbol.into(), None);
        locations
            .push(Location { function: without_hash(&function).to_owned(), ..Location::default() });
    }
    locations
}

/// A demangled name without the hash that the compiler appends.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            path
        }
        _ => name,
    }
}
