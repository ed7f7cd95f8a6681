//! The format of the vector files.

use super::edit::Edit;
use raccoon_dsa::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One file: the vectors of one level.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VectorFile {
    pub algorithm: String,
    pub number_of_tests: usize,
    /// How to read the file.
    pub notes: Vec<String>,
    /// What each reason means.
    pub reasons: BTreeMap<String, String>,
    pub test_groups: Vec<Group>,
}

impl VectorFile {
    /// The bytes of the file: one line a note, one line a test.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string(self).expect("a value that JSON can express");
        let (header, groups) = json.split_once(r#""testGroups""#).expect("test groups");
        let header = header.replace(r#"",""#, "\",\n\"");
        let groups = groups.replace(r#"{"tcId""#, "\n{\"tcId\"");
        format!("{header}\n\"testGroups\"{groups}\n")
    }
}

/// Vectors that are edits of the same four objects.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Group {
    pub comment: String,
    /// Number of shares of the signing key.
    pub shares: usize,
    /// What NIST's generator was seeded with when the objects were made.
    #[serde(with = "hex::serde")]
    pub seed: Vec<u8>,
    #[serde(with = "hex::serde")]
    pub verifying_key: Vec<u8>,
    /// Empty if no vector is about it.
    #[serde(default, with = "hex::serde", skip_serializing_if = "Vec::is_empty")]
    pub signing_key: Vec<u8>,
    #[serde(with = "hex::serde")]
    pub message: Vec<u8>,
    #[serde(with = "hex::serde")]
    pub signature: Vec<u8>,
    pub tests: Vec<Test>,
}

impl Group {
    /// The object of a kind, before any edit.
    pub fn object(&self, what: What) -> &[u8] {
        match what {
            What::VerifyingKey => &self.verifying_key,
            What::SigningKey => &self.signing_key,
            What::Message => &self.message,
            What::Signature => &self.signature,
        }
    }
}

/// One vector: an edited object and what becomes of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Test {
    pub tc_id: usize,
    pub comment: String,
    pub what: What,
    pub edits: Vec<Edit>,
    pub result: Outcome,
    #[serde(flatten)]
    pub refusal: Option<Refusal>,
}

/// Which of the objects of a group is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum What {
    VerifyingKey,
    SigningKey,
    Message,
    Signature,
}

/// What has to become of a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    Valid,
    Invalid,
}

/// Why an object is refused: the name of an [`Error`], and where.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub polynomial: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coefficient: Option<usize>,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let named = format!("{error:?}");
        let name = named.split_whitespace().next().expect("a name");
        let place = match error {
            Error::PublicCoefficient { polynomial, coefficient }
            | Error::SecretCoefficient { polynomial, coefficient }
            | Error::HintRange { polynomial, coefficient }
            | Error::ResponseRange { polynomial, coefficient } => Some((polynomial, coefficient)),
            _ => None,
        };
        Refusal {
            reason: name.to_owned(),
            polynomial: place.map(|place| place.0),
            coefficient: place.map(|place| place.1),
        }
    }
}
