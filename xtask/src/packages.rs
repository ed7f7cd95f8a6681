//! Debian packages, where something is missing.

use crate::run;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Makes sure that a program is there: looks for it, and installs its packages if need be.
pub fn provide(program: &str, packages: &[&str]) -> Result<()> {
    if find(program).is_none() {
        install(packages);
    }
    ensure!(
        find(program).is_some(),
        "{program} is missing; run\n    apt-get install {}",
        packages.join(" ")
    );
    Ok(())
}

/// Installs packages. It needs to be root; whether it worked is found out by looking again.
pub fn install(packages: &[&str]) {
    if run::output("id", &["-u"]).is_some_and(|id| id.trim() == "0") {
        eprintln!("installing {}", packages.join(" "));
        let _ = run::output("apt-get", &["update", "--quiet"]);
        let mut install = vec!["install", "--quiet", "--yes", "--no-install-recommends"];
        install.extend(packages);
        let _ = run::output("apt-get", &install);
    }
}

/// Where a program is on the path.
fn find(program: &str) -> Option<PathBuf> {
    let paths = env::var_os("PATH")?;
    let is_there = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.is_file());
    env::split_paths(&paths).map(|directory| directory.join(Path::new(program))).find(is_there)
}
