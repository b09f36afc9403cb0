//! The recipe of metrics that weigh the columns of a table: a linear map of features, and nothing of the size n x n.

use ndarray::{Array1, Array2, Axis};
use nearer_num::dense;

use crate::error::Error;
use crate::evidence::{Comparisons, Features};
use crate::fit::{Fit, WeightsWitness};
use crate::geometry::{Embedding, Spectrum};
use crate::method::common;
use crate::method::features::weighted::Asked;
use crate::method::kernel_reading::{self, Native};
use crate::method::spanning::Axes;
use crate::model::Linear;
use crate::object::Objects;
use crate::program::DiagonalProgram;
use crate::solve::Run;

/// What the table is called in reports and models: it has no other name.
const TABLE: &str = "features";

/// The features of the judged objects, a row each, about their means.
pub(crate) struct Table {
    objects: Objects,
    columns: Vec<String>,
    pub(crate) values: Array2<f64>,
    mean: Array1<f64>,
}

impl Table {
    /// The rows of these objects.
    pub(crate) fn of(features: &Features, objects: &Objects) -> Result<Self, Error> {
        let index = features.objects().index();
        let row = |label: &String| {
            index.get(label.as_str()).map(|item| item.index()).ok_or_else(|| Error::Evidence {
                what: format!("`{label}` has no features"),
                remedy: "give every object its features".into(),
            })
        };
        let rows = objects.labels().iter().map(row).collect::<Result<Vec<_>, _>>()?;
        let values = features.values().select(Axis(0), &rows);
        // One after the other: whoever checks a certificate adds them up so, and is to come to the same bits.
        let mean: Array1<f64> =
            values.columns().into_iter().map(|c| c.iter().sum::<f64>() / rows.len() as f64).collect();
        let columns = features.columns().to_vec();
        Ok(Table { objects: objects.clone(), columns, values: values - &mean, mean })
    }

    /// Solves the program of the columns' weights and makes the map of it: `L = turn √w`, the turn to principal axes.
    pub(crate) fn fit(
        &self,
        asked: &Asked<'_>,
        program: &DiagonalProgram,
        run: &Run<'_>,
    ) -> Result<Fit<Linear>, Error> {
        let solved = asked.solved(program, run)?;
        let weights = Array1::from(solved.candidate.weights.clone());
        let root = weights.mapv(f64::sqrt);
        let points = &self.values * &root;
        let failed = |_| Error::Numerical { what: "the axes of a solution".into() };
        let svd = dense::svd(points.view()).map_err(failed)?;
        let spectrum = Spectrum::complete(svd.s.iter().map(|v| v * v).collect());
        let turn = match asked.axes {
            Axes::Objects => svd.v,
            // The metric itself is diagonal: its axes are the features, the heaviest first.
            Axes::Map => dense::eigh(Array2::from_diag(&weights).view()).map_err(failed)?.1,
        };
        let mut map = Array2::zeros((weights.len(), asked.dim));
        for k in 0..asked.dim.min(turn.ncols()) {
            map.column_mut(k).assign(&(&turn.column(k) * &root));
        }
        let posed = Embedding::new(self.objects.clone(), self.values.dot(&map))?.pose()?;
        let model = Linear::new([(TABLE, self.columns.clone())], map.dot(&posed.axes), self.mean.clone())?;
        let embedding = Embedding::new(self.objects.clone(), self.values.dot(model.map()))?;
        let parts = vec![(points.iter().map(|v| v * v).sum(), weights.to_vec())];
        let mut reading = kernel_reading::reading(&[TABLE], self.columns.clone(), parts, &spectrum, weights.sum());
        kernel_reading::compared(&mut reading, &Native::Table(&self.values), &points, asked.comparisons);
        let mut report = asked.report(&solved, spectrum, reading, self.objects.len(), run);
        report.agreement = Some(share(&embedding, asked.comparisons));
        Ok(Fit::new(embedding, model, report).witnessed(WeightsWitness {
            objects: self.objects.clone(),
            program: program.clone(),
            answer: solved.candidate,
            columns: Vec::new(),
        }))
    }
}

fn share(map: &Embedding, c: &Comparisons) -> f64 {
    common::holding(map, c) as f64 / c.len() as f64
}
