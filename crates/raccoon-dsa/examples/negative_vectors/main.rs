//! Writes the files of `tests/vectors/`:
//! `cargo run --release -p raccoon-dsa --example negative_vectors -- DIRECTORY`.

mod vectors;

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let Some(directory) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: negative_vectors DIRECTORY");
        return ExitCode::from(2);
    };
    for (name, file) in vectors::vector_files() {
        let path = directory.join(name);
        if let Err(error) = fs::write(&path, file.to_json()) {
            eprintln!("cannot write {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
        println!("{}: {} vectors", path.display(), file.number_of_tests);
    }
    ExitCode::SUCCESS
}
