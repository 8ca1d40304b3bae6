// Pearson, Spearman and Pearson Rank (gao2016). Twins: the functions of the same name in core/formulas.py
#pragma once
#include "gap.hpp"

namespace tauscope {

// Sum of products in eight fixed lanes: vectorised, and the same on every machine.
TAUSCOPE_CLONES
inline double dot(const double* a, const double* b, std::int32_t n) noexcept {
    double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    std::int32_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; ++k) lane[k] += a[i + k] * b[i + k];
    for (int k = 0; i < n; ++i, ++k) lane[k] += a[i] * b[i];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

TAUSCOPE_CLONES
inline double sum(const double* a, std::int32_t n) noexcept {
    double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    std::int32_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; ++k) lane[k] += a[i + k];
    for (int k = 0; i < n; ++i, ++k) lane[k] += a[i];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

inline bool is_constant(const double* scores, std::int32_t n) noexcept {
    for (std::int32_t i = 1; i < n; ++i)
        if (scores[i] != scores[0]) return false;
    return true;
}

// scores, centred, with the largest deviation near 1. Centring twice removes what rounding left of the mean.
inline void standardise(const double* scores, std::int32_t n, Buffer<double>& out) {
    out.resize(n);
    double scale = unit_scale(scores, n);
    for (std::int32_t i = 0; i < n; ++i) out[i] = scores[i] * scale;
    for (int round = 0; round < 2; ++round) {
        const double mean = sum(out.data(), n) / n;
        for (std::int32_t i = 0; i < n; ++i) out[i] -= mean;
        scale = unit_scale(out.data(), n);
        for (std::int32_t i = 0; i < n; ++i) out[i] *= scale;
    }
}

inline double cosine(const double* a, const double* b, std::int32_t n) noexcept {
    const double value = dot(a, b, n) / (std::sqrt(dot(a, a, n)) * std::sqrt(dot(b, b, n)));
    return std::min(1.0, std::max(-1.0, value));
}

struct PearsonScratch {
    Buffer<double> first, second;
};

inline double pearson(const double* first, const double* second, std::int32_t n, PearsonScratch& s) {
    standardise(first, n, s.first);
    standardise(second, n, s.second);
    return cosine(s.first.data(), s.second.data(), n);
}

// Pearson on mid-ranks. Twice the centred mid-rank of a position is group_begin + group_end - n, an integer.
inline double spearman(const Levels& first, const Levels& second, PearsonScratch& s) {
    const std::int32_t n = first.n;
    const Levels* levels[2] = {&first, &second};
    Buffer<double>* out[2] = {&s.first, &s.second};
    for (int k = 0; k < 2; ++k) {
        out[k]->resize(n);
        for (std::int32_t p = 0; p < n; ++p)
            (*out[k])[levels[k]->order[p]] = static_cast<double>(levels[k]->group_begin[p] + levels[k]->group_end[p] - n);
    }
    return cosine(s.first.data(), s.second.data(), n);
}

// The largest |score - that of the pivot| of the items from `from` on.
inline double largest_about(const double* scores, const std::int32_t* order, std::int32_t from, std::int32_t n,
                            std::int32_t pivot, double scale) noexcept {
    double largest = 0.0;
    for (std::int32_t p = from; p < n; ++p)
        largest = std::max(largest, std::fabs(scores[order[p]] * scale - scores[pivot] * scale));
    return largest;
}

// Correlation about one pivot, its differences brought to unit size first: for differences whose squares underflow. st, se:
// sum_scale of the two, used only where differences overflow: scaled, scores that are tiny beside the largest are equal.
inline double cosine_about(const double* truth, const double* estimate, const std::int32_t* order, std::int32_t from,
                           std::int32_t n, std::int32_t pivot, double st, double se) noexcept {
    constexpr double MOST = std::numeric_limits<double>::max();
    double largest_t = largest_about(truth, order, from, n, pivot, 1.0);
    double largest_e = largest_about(estimate, order, from, n, pivot, 1.0);
    if (largest_t <= MOST) st = 1.0;
    else largest_t = largest_about(truth, order, from, n, pivot, st);
    if (largest_e <= MOST) se = 1.0;
    else largest_e = largest_about(estimate, order, from, n, pivot, se);
    const double t = truth[pivot] * st, e = estimate[pivot] * se;
    double tt = 0.0, te = 0.0, ee = 0.0;
    for (std::int32_t p = from; p < n; ++p) {
        const double dt = (truth[order[p]] * st - t) / largest_t, de = (estimate[order[p]] * se - e) / largest_e;
        tt += dt * dt;
        te += dt * de;
        ee += de * de;
    }
    return te / (std::sqrt(tt) * std::sqrt(ee));
}

// Walks the truth, best first, keeping the moments of the items above (Welford's update, so that nothing cancels).
// Pivots whose estimates all equal the pivot's are left out with their weight; NaN when no weight is left.
inline double pearson_rank(const double* truth, const double* estimate, const Levels& levels, PearsonScratch& s) {
    const std::int32_t n = levels.n;
    const double st = unit_scale(truth, n), se = unit_scale(estimate, n);
    const double sum_t = sum_scale(truth, n), sum_e = sum_scale(estimate, n);
    const std::int32_t* order = levels.order.data();
    s.first.resize(n);
    s.second.resize(n);
    double *ts = s.first.data(), *es = s.second.data();
    // Differences to the best item, which is above every pivot: what they lose to rounding is small beside the pivot's own.
    const double best_t = truth[order[n - 1]] * st, best_e = estimate[order[n - 1]] * se;
    for (std::int32_t p = 0; p < n; ++p) {
        ts[p] = truth[order[p]] * st - best_t;
        es[p] = estimate[order[p]] * se - best_e;
    }
    double k = 0.0, mean_t = 0.0, mean_e = 0.0, ctt = 0.0, cte = 0.0, cee = 0.0, weight = 0.0, weighted = 0.0;
    double lowest_e = estimate[order[n - 1]], highest_e = lowest_e;
    // Weights are taken relative to the first that counts, the heaviest: their sums can then neither overflow nor vanish.
    double heaviest = 0.0;
    for (std::int32_t end = n; end > 0;) {
        const std::int32_t begin = levels.group_begin[end - 1];
        const double raw_t = truth[order[begin]], t = ts[begin], dt = mean_t - t, tt = ctt + k * dt * dt;
        for (std::int32_t p = end - 1; p >= begin && end < n; --p) {
            const double e = es[p], de = mean_e - e, te = cte + k * dt * de, ee = cee + k * de * de;
            const double raw = estimate[order[p]];
            if (raw == lowest_e && raw == highest_e) continue;
            const double product = tt * ee;
            const double r = product > 1e-290 && tt > 1e-280 && ee > 1e-280
                                 ? te / std::sqrt(product)
                                 : cosine_about(truth, estimate, order, end, n, order[p], sum_t, sum_e);
            if (heaviest == 0.0) heaviest = raw_t;
            const double share = heaviest > 0.0 ? raw_t / heaviest : 0.0;
            weighted += share * std::min(1.0, std::max(-1.0, r));
            weight += share;
        }
        for (std::int32_t p = end - 1; p >= begin; --p) {
            const double e = es[p];
            lowest_e = std::min(lowest_e, estimate[order[p]]);
            highest_e = std::max(highest_e, estimate[order[p]]);
            k += 1.0;
            const double inverse = 1.0 / k, up_t = t - mean_t, up_e = e - mean_e;
            mean_t += up_t * inverse;
            mean_e += up_e * inverse;
            ctt += up_t * (t - mean_t);
            cte += up_t * (e - mean_e);
            cee += up_e * (e - mean_e);
        }
        end = begin;
    }
    return weight > 0.0 ? std::min(1.0, std::max(-1.0, weighted / weight)) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tauscope
