//! What else is known of the objects: columns of text to colour, shape and group a picture by.

/// Named columns, one value for each object, in the order of the objects they were joined to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    /// The columns.
    pub columns: Vec<Column>,
}

/// One column; `None` where an object has no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// One value for each object.
    pub values: Vec<Option<String>>,
}

impl Metadata {
    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }
}

impl Column {
    /// The values as numbers, if every value that is there is one.
    #[must_use]
    pub fn numbers(&self) -> Option<Vec<Option<f64>>> {
        self.values
            .iter()
            .map(|v| match v {
                None => Some(None),
                Some(text) => text.trim().parse().ok().filter(|x: &f64| x.is_finite()).map(Some),
            })
            .collect()
    }
}
