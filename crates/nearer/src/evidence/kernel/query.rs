//! New objects as kernels see them.

use super::KernelFunctions;
use super::base::Taken;
use crate::error::Error;
use crate::evidence::Features;
use crate::object::Objects;

/// New objects with what every kernel needs of them.
#[derive(Debug, Clone)]
pub struct KernelQuery {
    objects: Objects,
    taken: Vec<Taken>,
}

impl KernelQuery {
    pub(super) fn new(objects: Objects, taken: Vec<Taken>) -> Self {
        KernelQuery { objects, taken }
    }
    /// The new objects.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    pub(super) fn taken(&self) -> &[Taken] {
        &self.taken
    }
}

impl KernelFunctions {
    /// A query from tables with a row for each new object: features by the names of their columns, for a precomputed kernel
    /// its values by the labels of the training objects. A table may say which kernel it is for; one that does not serves
    /// every kernel whose columns it has.
    pub fn query(&self, tables: &[(Option<&str>, &Features)]) -> Result<KernelQuery, Error> {
        let refuse = |what: String, remedy: &str| Err(Error::Evidence { what, remedy: remedy.into() });
        let Some((_, first)) = tables.first() else {
            return refuse("no table of new objects is given".into(), "give their features");
        };
        let objects = first.objects().clone();
        for (name, _) in tables {
            if let Some(name) = name
                && !self.bases.iter().any(|b| b.name == *name)
            {
                let known: Vec<&str> = self.bases.iter().map(|b| b.name.as_str()).collect();
                return refuse(
                    format!("the map has no kernel `{name}`"),
                    &format!("its kernels are {}", known.join(", ")),
                );
            }
        }
        let mut taken = Vec::new();
        for base in &self.bases {
            let named = tables.iter().find(|(name, _)| *name == Some(base.name.as_str()));
            let fits = |t: &&(Option<&str>, &Features)| t.0.is_none() && base.is_in(t.1, &self.objects);
            let only = tables.iter().find(|(name, _)| name.is_none());
            let table = named.or_else(|| tables.iter().find(fits)).or(only);
            let Some((_, table)) = table else {
                return refuse(
                    format!("no table has the features of kernel `{}`", base.name),
                    "give one for each kernel of the map",
                );
            };
            taken.push(base.taken(table, &objects, &self.objects)?);
        }
        Ok(KernelQuery { objects, taken })
    }
}
