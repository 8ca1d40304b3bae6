// How often the largest of many statistics, under flips of signs, comes as far as the observed ones. Eight flips at a time, one a lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "expected.hpp"

namespace tauscope {

// Rows of sums (flips x m) of eight flips as m x 8; lanes beyond `flips` hold NaN, which no maximum takes.
inline void gather_lanes(const double* sums, std::size_t flips, std::size_t m, double* lanes) noexcept {
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t l = 0; l < LANES; ++l)
            lanes[i * LANES + l] = l < flips ? sums[l * m + i] : std::numeric_limits<double>::quiet_NaN();
}

// Pairs in ascending order of their statistic: reached[k] counts the flips in which the largest |(s_i - s_j) scale| of pair k and of those
// before it is at least limit[k]. Twin: differences.flips_reached
TAUSCOPE_CLONES
inline void flips_reached(const double* lanes, std::size_t flips, const std::int32_t* first, const std::int32_t* second,
                          const double* scale, const double* limit, std::size_t pairs, std::int64_t* reached) noexcept {
    double top[LANES];
    for (std::size_t l = 0; l < LANES; ++l) top[l] = l < flips ? 0.0 : -1.0;
    for (std::size_t k = 0; k < pairs; ++k) {
        const double* a = lanes + static_cast<std::size_t>(first[k]) * LANES;
        const double* b = lanes + static_cast<std::size_t>(second[k]) * LANES;
        const double by = scale[k], least = limit[k];
        std::int64_t counted[LANES];
        for (std::size_t l = 0; l < LANES; ++l) {
            const double signed_one = (a[l] - b[l]) * by;
            const double one = signed_one < 0.0 ? -signed_one : signed_one;
            top[l] = one > top[l] ? one : top[l];
            counted[l] = top[l] >= least;
        }
        std::int64_t all = 0;
        for (std::size_t l = 0; l < LANES; ++l) all += counted[l];
        reached[k] += all;
    }
}

// For each of m systems the flips in which another exceeds it by at least own[i], differences times scale (m x m). Twin:
// differences.flips_exceeding
TAUSCOPE_CLONES
inline void flips_exceeding(const double* lanes, std::size_t flips, const double* scale, const double* own, std::size_t m,
                            std::int64_t* reached) noexcept {
    for (std::size_t i = 0; i < m; ++i) {
        double top[LANES];
        for (std::size_t l = 0; l < LANES; ++l) top[l] = l < flips ? 0.0 : -1.0;
        const double* base = lanes + i * LANES;
        const double* by = scale + i * m;
        for (std::size_t j = 0; j < m; ++j) {
            const double* other = lanes + j * LANES;
            for (std::size_t l = 0; l < LANES; ++l) {
                const double one = (other[l] - base[l]) * by[j];
                top[l] = one > top[l] ? one : top[l];
            }
        }
        std::int64_t all = 0;
        for (std::size_t l = 0; l < LANES; ++l) all += top[l] >= own[i];
        reached[i] += all;
    }
}

}  // namespace tauscope
