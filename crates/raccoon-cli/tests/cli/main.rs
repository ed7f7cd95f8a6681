//! The `raccoon` command, as a user meets it: exit codes, messages, files.

mod demo;
mod inspect;
mod kat;
mod keys;
mod sandbox;
mod signatures;
