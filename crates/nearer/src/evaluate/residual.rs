//! Residual variance: how much of some distances the distances of a map do not show.

use nearer_num::packed::{self, Points};

use crate::geometry::Embedding;

/// `1 - R²` of given distances and those of a map, `R` their correlation over all pairs: Isomap's own measure of a map against the
/// ways along its graph (Tenenbaum, de Silva and Langford 2000). `data` is a packed triangle in the order of the map.
#[must_use]
pub fn residual_variance(data: &[f64], map: &Embedding) -> f64 {
    let points = Points::from_rows(map.points());
    let pairs = data.len() as f64;
    let sum = packed::sum_of(data, |v| v);
    let squares = packed::square_sum(data, None);
    // Σ d, Σ d² and Σ δ d of the map without another triangle.
    let own = packed::moments(&points, data);
    let covariance = own.cross - sum * own.sum / pairs;
    let (of_data, of_map) = (squares - sum * sum / pairs, own.square - own.sum * own.sum / pairs);
    if of_data <= 0.0 || of_map <= 0.0 {
        return 1.0;
    }
    (1.0 - covariance * covariance / (of_data * of_map)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;

    /// The correlation by its definition.
    #[test]
    fn it_is_one_less_the_squared_correlation() {
        let d = toy::noisy(40, 2, 0.2, 1);
        let fit = crate::Embed::fit(&crate::method::ClassicalMds::new(2), &d).unwrap();
        let own: Vec<f64> =
            (0..40).flat_map(|i| (i + 1..40).map(move |j| (i, j))).map(|(i, j)| fit.embedding.distance(i, j)).collect();
        let (n, data) = (own.len() as f64, d.condensed());
        let (a, b) = (data.iter().sum::<f64>() / n, own.iter().sum::<f64>() / n);
        let dot = |x: &[f64], p: f64, y: &[f64], q: f64| x.iter().zip(y).map(|(x, y)| (x - p) * (y - q)).sum::<f64>();
        let r = dot(data, a, &own, b) / (dot(data, a, data, a) * dot(&own, b, &own, b)).sqrt();
        assert!((residual_variance(data, &fit.embedding) - (1.0 - r * r)).abs() < 1e-12);
    }
}
