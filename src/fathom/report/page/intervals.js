// Intervals clustered by context, as in fathom/analysis/intervals.py.

const DEFAULT_CORRELATION = 0.2;
const PSEUDO_COUNT = 3;
const MIN_DESIGN_EFFECT = 0.8;

// Student's t for any degrees of freedom, from quantiles at steps of their inverse.
function tQuantile(grid, freedom) {
  const place = Math.min(grid.length - 1, Math.max(0, (grid.length - 1) / freedom));
  const below = Math.min(grid.length - 2, Math.floor(place));
  return grid[below] + (place - below) * (grid[below + 1] - grid[below]);
}

const total = (values) => values.reduce((sum, value) => sum + value, 0);

// The cluster-robust variance of a mean (CR2); `sums` has the total and the count of each context.
function clusteredError(sums) {
  const count = total(sums.map(([, one]) => one));
  if (sums.length < 2) return { variance: Infinity, freedom: 1 };
  const mean = total(sums.map(([sum]) => sum)) / count;
  const weights = sums.map(([, one]) => one / count);
  const pulls = sums.map(([sum, one], at) => (sum - mean * one) / Math.sqrt(1 - weights[at]));
  const scale = weights.map((weight) => weight ** 2 / (1 - weight));
  const trace = total(sums.map(([, one], at) => scale[at] * (1 / one - 1 / count)));
  const square = total(sums.map(([, one], at) => scale[at] ** 2 * (1 / one ** 2 - 2 / (one * count)))) + total(scale) ** 2 / count ** 2;
  const independent = square > 0 ? trace ** 2 / square : weights.length - 1;
  const identical = total(weights.map((weight) => weight ** 2)) ** 2 / total(weights.map((weight) => weight ** 4)) - 1;
  return {
    variance: total(pulls.map((pull) => pull ** 2)) / count ** 2,
    freedom: Math.max(1, Math.min(independent, identical, weights.length - 1)),
  };
}

function designEffect(mean, items, perContext, variance, binary) {
  const normal = 1 + Math.max(0, perContext - 1) * DEFAULT_CORRELATION;
  const spread = mean * (1 - mean);
  if (variance === Infinity || spread < 1e-12) return normal;
  const rare = items * Math.min(mean, 1 - mean);
  const found = (rare * variance * items / spread + PSEUDO_COUNT * normal) / (rare + PSEUDO_COUNT);
  return Math.max(found, binary ? MIN_DESIGN_EFFECT : 1e-6);
}

function wilson(mean, size, quantile) {
  const square = quantile ** 2 / size;
  const middle = (mean + square / 2) / (1 + square);
  const half = quantile / (1 + square) * Math.sqrt(mean * (1 - mean) / size + square / (4 * size));
  const low = mean <= 0 ? 0 : Math.max(0, middle - half);
  const high = mean >= 1 ? 1 : Math.min(1, middle + half);
  return [Math.min(low, mean), Math.max(high, mean)];
}

// The mean over questions. `share`: every value is between 0 and 1; `binary`: every value is 0 or 1.
function estimateOf(sums, { share, binary, grid }) {
  const count = total(sums.map(([, one]) => one));
  const mean = total(sums.map(([sum]) => sum)) / count;
  const { variance, freedom } = clusteredError(sums);
  if (!share) return withT(mean, variance, freedom, grid);
  const effect = designEffect(mean, count, count / sums.length, variance, binary);
  const [low, high] = wilson(mean, count / effect, tQuantile(grid, freedom));
  return { value: mean, low, high };
}

function withT(value, variance, freedom, grid) {
  if (variance === Infinity) return { value, low: null, high: null };
  const half = tQuantile(grid, freedom) * Math.sqrt(variance);
  return { value, low: Math.max(0, value - half), high: value + half };
}

// The mean over groups with equal weights; each group has a map from contexts to [total, count].
function macroOf(groups, { share, grid }) {
  const parts = [...groups.values()].map((contexts) => {
    const count = total([...contexts.values()].map(([, one]) => one));
    return { contexts, count, mean: total([...contexts.values()].map(([sum]) => sum)) / count };
  });
  const weights = new Map();
  const pulls = new Map();
  const largest = new Map();
  for (const { contexts, count, mean } of parts) {
    const each = 1 / (count * parts.length);
    for (const [context, [sum, one]] of contexts) {
      weights.set(context, (weights.get(context) || 0) + each * one);
      pulls.set(context, (pulls.get(context) || 0) + each * (sum - mean * one));
      largest.set(context, Math.max(largest.get(context) || 0, one / count));
    }
  }
  const mean = total(parts.map((part) => part.mean)) / parts.length;
  const variance = weights.size > 1
    ? total([...pulls].map(([context, pull]) => pull ** 2 / Math.max(1 - largest.get(context), 1e-3))) : Infinity;
  const each = [...weights.values()];
  const freedom = Math.max(1, total(each.map((one) => one ** 2)) ** 2 / total(each.map((one) => one ** 4)) - 1);
  if (!share) return withT(mean, variance, freedom, grid);
  const items = 1 / total(parts.map((part) => part.count * (1 / (part.count * parts.length)) ** 2));
  const asked = total(parts.map((part) => part.count));
  const [low, high] = wilson(mean, items / designEffect(mean, items, asked / weights.size, variance, false), tQuantile(grid, freedom));
  return { value: mean, low, high };
}
