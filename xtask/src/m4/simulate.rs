//! Running an image on the simulated core.

use super::image::Build;
use super::layout;
use anyhow::{Result, anyhow, bail};
use m4sim::report::describe_fault;
use m4sim::{Host, Image, Machine, Observer, Stop};
use std::sync::{Arc, Mutex};

/// Runs an image, with the RAM it was built for, to its end and returns what it printed.
pub fn run(image: &Image, build: &Build, observer: &mut impl Observer) -> Result<String> {
    let (mut machine, output) = machine(image, build, Vec::new())?;
    match machine.run(u64::MAX, observer) {
        Stop::Exit(0) => Ok(output.text()),
        Stop::Exit(status) => bail!("the image ended with {status}:\n{}", output.text()),
        Stop::Fault(fault) => bail!("{}", describe_fault(&fault, image, &machine)),
        Stop::Limit => unreachable!("there is no limit"),
    }
}

/// A machine that has just been reset, with its input and its output.
pub fn machine(image: &Image, build: &Build, input: Vec<u8>) -> Result<(Machine, Output)> {
    let output = Output::default();
    let sink = output.clone();
    let host = Host::new(String::new(), input, move |_, bytes| sink.push(bytes));
    let ram = layout::ram(&build.layout)?;
    let machine = image.machine(&ram, host).map_err(|error| anyhow!("the image: {error}"))?;
    Ok((machine, output))
}

/// What an image prints.
#[derive(Clone, Default)]
pub struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn push(&self, bytes: &[u8]) {
        self.0.lock().expect("no writer panics").extend_from_slice(bytes);
    }

    /// All of it so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("no writer panics")).into_owned()
    }
}
