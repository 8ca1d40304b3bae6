// Counting pairs: for every pivot of a walk, how many items above it are rightly there.
#pragma once
#include "levels.hpp"

namespace tauscope {

// The walked ranking in position order. other[p]: the position, in the other ranking, of the item at position p;
// other_begin/other_end[p]: what is tied with it there; above[p]: first position that counts as above the pivot p.
struct Walk {
    std::int32_t n = 0;
    Buffer<std::int32_t> other, other_begin, other_end;

    void build(const Levels& walked, const Levels& judge) {
        n = walked.n;
        for (auto* v : {&other, &other_begin, &other_end}) v->resize(n);
        const std::int32_t *lower = judge.lower(), *upper = judge.upper();
        for (std::int32_t p = 0; p < n; ++p) other[p] = judge.position[walked.order[p]];
        for (std::int32_t p = 0; p < n; ++p) other_begin[p] = judge.ties ? lower[other[p]] : other[p];
        for (std::int32_t p = 0; p < n; ++p) other_end[p] = judge.ties ? upper[other[p]] : other[p] + 1;
    }
};

// Sixteen pivots at a time against all the items above any of them. Arrays are padded to a multiple of 16; the padding
// has above = n, so that nothing counts there.
TAUSCOPE_CLONES
inline void count_small(const std::int16_t* other, const std::int16_t* begin, const std::int16_t* end,
                        const std::int16_t* above, std::int32_t n, std::int16_t* higher, std::int16_t* lower) noexcept {
    for (std::int32_t p = 0; p < n; p += 16) {
        std::int16_t h[16] = {0}, l[16] = {0};
        for (std::int16_t j = above[p]; j < n; ++j) {
            const std::int16_t o = other[j];
            for (int k = 0; k < 16; ++k) {
                const std::int16_t counts = j >= above[p + k];
                h[k] = static_cast<std::int16_t>(h[k] + (counts & (o >= end[p + k])));
                l[k] = static_cast<std::int16_t>(l[k] + (counts & (o < begin[p + k])));
            }
        }
        for (int k = 0; k < 16; ++k) {
            higher[p + k] = h[k];
            lower[p + k] = l[k];
        }
    }
}

// Counts kept up to date on insertion, so that "how many members lie below" is three look-ups and a popcount: a word
// has 64 positions, a row 64 words, a page 64 rows. words: the members; in_row[w]: members before word w in its row;
// in_page[r]: members before row r in its page; in_pages[g]: members before page g. Loops have fixed lengths because a
// mispredicted branch costs more than the additions it would save.
struct PositionSet {
    std::vector<std::uint64_t> words;
    std::vector<std::int16_t> in_row;
    std::vector<std::int32_t> in_page, in_pages;

    void reset(std::int32_t n) {
        const std::size_t pages = (static_cast<std::size_t>(n) >> 18) + 1;
        words.assign(pages * 4096, 0);
        in_row.assign(pages * 4096, 0);
        in_page.assign(pages * 64, 0);
        in_pages.assign(pages, 0);
    }
};

TAUSCOPE_CLONES
inline void count_large(const std::int32_t* other, const std::int32_t* begin, const std::int32_t* end,
                        const std::int32_t* above, std::int32_t n, std::uint64_t* words, std::int16_t* in_row,
                        std::int32_t* in_page, std::int32_t* in_pages, std::int32_t pages, std::int32_t* higher,
                        std::int32_t* lower) noexcept {
    std::int32_t next = n;
    for (std::int32_t p = n - 1; p >= 0; --p) {
        while (next > above[p]) {
            const std::int32_t member = other[--next];
            words[member >> 6] |= std::uint64_t{1} << (member & 63);
            std::int16_t* row = in_row + (member >> 12) * 64;
            const auto word = static_cast<std::int16_t>((member >> 6) & 63);
            for (std::int16_t k = 0; k < 64; ++k) row[k] = static_cast<std::int16_t>(row[k] + (k > word));
            std::int32_t* page = in_page + (member >> 18) * 64;
            const std::int32_t line = (member >> 12) & 63;
            for (std::int32_t k = 0; k < 64; ++k) page[k] += k > line;
            for (std::int32_t g = (member >> 18) + 1; g < pages; ++g) ++in_pages[g];
        }
        std::int32_t below[2];
        const std::int32_t at[2] = {begin[p], end[p] - 1};
        for (int k = 0; k < 2; ++k) {
            const std::int32_t q = at[k];
            const std::uint64_t before = words[q >> 6] & ((std::uint64_t{1} << (q & 63)) - 1);
            below[k] = in_pages[q >> 18] + in_page[q >> 12] + in_row[q >> 6] + __builtin_popcountll(before);
            if (at[0] == at[1]) {
                below[1] = below[0];
                break;
            }
        }
        // Asked of the last tied position rather than the one after it, which may not exist; it counts itself if there.
        const bool last = words[at[1] >> 6] >> (at[1] & 63) & 1;
        lower[p] = below[0];
        higher[p] = (n - next) - below[1] - last;
    }
}

// Above this many items the position set beats comparing all pairs.
constexpr std::int32_t SET_ABOVE = 448;

struct Counter {
    PositionSet set;
    Buffer<std::int16_t> small;

    // higher[p], lower[p]: items from above[p] on that the other ranking puts above, below the pivot. above must not
    // decrease. Twin: reference.pivot_counts
    void count(const Walk& walk, const std::int32_t* above, std::int32_t* higher, std::int32_t* lower) {
        const std::int32_t n = walk.n;
        if (n > SET_ABOVE) {
            set.reset(n);
            count_large(walk.other.data(), walk.other_begin.data(), walk.other_end.data(), above, n, set.words.data(),
                        set.in_row.data(), set.in_page.data(), set.in_pages.data(),
                        static_cast<std::int32_t>(set.in_pages.size()), higher, lower);
            return;
        }
        const std::int32_t padded = (n + 15) / 16 * 16;
        small.resize(6 * static_cast<std::size_t>(padded));
        std::int16_t *other = small.data(), *begin = other + padded, *end = begin + padded, *from = end + padded;
        std::int16_t *more = from + padded, *less = more + padded;
        for (std::int32_t p = 0; p < n; ++p) {
            other[p] = static_cast<std::int16_t>(walk.other[p]);
            begin[p] = static_cast<std::int16_t>(walk.other_begin[p]);
            end[p] = static_cast<std::int16_t>(walk.other_end[p]);
            from[p] = static_cast<std::int16_t>(above[p]);
        }
        std::fill(from + n, from + padded, static_cast<std::int16_t>(n));
        count_small(other, begin, end, from, n, more, less);
        for (std::int32_t p = 0; p < n; ++p) {
            higher[p] = more[p];
            lower[p] = less[p];
        }
    }
};

struct PairCounts {
    std::int64_t concordant = 0, discordant = 0, tied_estimate = 0, tied_truth = 0;
};

// A ranking of up to SORT_ABOVE items as how many are below each: all that Kendall's coefficients need, and no sort.
struct SmallRanks {
    std::int16_t below[SORT_ABOVE];
    std::int64_t ties = 0;

    // False where two scores are different and equal as floats: then the ranking must be sorted.
    bool build(const double* scores, std::int32_t n) noexcept {
        const std::int32_t padded = (n + 15) / 16 * 16;
        float keys[SORT_ABOVE] = {};
        double some[SORT_ABOVE];
        std::int32_t counted[SORT_ABOVE], size[SORT_ABOVE];
        for (std::int32_t i = 0; i < n; ++i) keys[i] = static_cast<float>(scores[i]);
        for (std::int32_t i = n; i < padded; ++i) keys[i] = std::numeric_limits<float>::infinity();
        count_below(keys, padded, counted);
        std::memset(size, 0, sizeof(std::int32_t) * static_cast<std::size_t>(n));
        // Without branches: ties come at random. `some`: the score of one of the items that have a place together.
        ties = 0;
        for (std::int32_t i = 0; i < n; ++i) {
            const std::int32_t place = counted[i];
            some[place] = scores[i];
            ties += size[place]++;
            below[i] = static_cast<std::int16_t>(place);
        }
        bool exact = true;
        for (std::int32_t i = 0; i < n; ++i) exact &= some[counted[i]] == scores[i];
        // Nothing is above padding in count_agreeing().
        for (std::int32_t i = n; i < padded; ++i) below[i] = -1;
        return exact;
    }
};

// Concordant and discordant pairs; arrays are padded to a multiple of 16 with -1. No lane counts more than n * n / 16.
TAUSCOPE_CLONES
inline void count_agreeing(const std::int16_t* y, const std::int16_t* x, std::int32_t n, std::int64_t* concordant,
                           std::int64_t* discordant) noexcept {
    std::int16_t agree[16] = {0}, against[16] = {0};
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int16_t yi = y[i], xi = x[i];
        for (std::int32_t j = 0; j < n; j += 16)
            for (int k = 0; k < 16; ++k) {
                const std::int16_t up = x[j + k] > xi;
                agree[k] = static_cast<std::int16_t>(agree[k] + (up & (y[j + k] > yi)));
                against[k] = static_cast<std::int16_t>(against[k] + (up & (y[j + k] < yi)));
            }
    }
    *concordant = *discordant = 0;
    for (int k = 0; k < 16; ++k) {
        *concordant += agree[k];
        *discordant += against[k];
    }
}

// Which of these positions are above and below what is tied with an item, a byte each.
TAUSCOPE_CLONES
inline void compare_all(const std::int32_t* position, std::int32_t n, std::int32_t lower, std::int32_t upper,
                        std::uint8_t* above, std::uint8_t* below) noexcept {
    for (std::int32_t j = 0; j < n; ++j) {
        above[j] = position[j] >= upper;
        below[j] = position[j] < lower;
    }
}

// Sixty-four bytes that are 0 or 1 as the bits of a word; the order within eight depends on the machine, and is the same for
// all rankings.
inline void pack(const std::uint8_t* bytes, std::size_t words, std::uint64_t* packed) noexcept {
    for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t word = 0;
        for (int part = 0; part < 8; ++part) {
            std::uint64_t eight;
            std::memcpy(&eight, bytes + w * 64 + part * 8, sizeof eight);
            word = word << 8 | (eight * 0x0102040810204080ull) >> 56;  // the eight low bits, gathered by one product
        }
        packed[w] = word;
    }
}

// The order of every pair of items as two bits: for matrices of many rankings against each other.
struct PackedSigns {
    std::vector<std::uint64_t> above, below;

    static std::size_t words(std::int32_t n) noexcept { return (static_cast<std::size_t>(n) * (n - 1) / 2 + 63) / 64; }

    void build(const Levels& levels, Buffer<std::uint8_t>& bytes, Buffer<std::int32_t>& position) {
        const std::int32_t n = levels.n;
        const std::size_t count = words(n), plane = count * 64;
        bytes.resize(2 * plane);
        std::uint8_t *over = bytes.data(), *under = over + plane;
        const std::int32_t *lower = levels.lower(), *upper = levels.upper();
        position.resize(n);
        for (std::int32_t i = 0; i < n; ++i) position[i] = levels.position[i];
        std::size_t at = 0;
        for (std::int32_t i = 0; i < n; ++i) {
            const std::int32_t p = position[i];
            compare_all(position.data() + i + 1, n - i - 1, lower[p], upper[p], over + at, under + at);
            at += static_cast<std::size_t>(n - i - 1);
        }
        std::memset(over + at, 0, plane - at);
        std::memset(under + at, 0, plane - at);
        above.resize(count);
        below.resize(count);
        pack(over, count, above.data());
        pack(under, count, below.data());
    }
};

TAUSCOPE_CLONES
inline void count_packed(const std::uint64_t* above_a, const std::uint64_t* below_a, const std::uint64_t* above_b,
                         const std::uint64_t* below_b, std::size_t words, std::int64_t* concordant,
                         std::int64_t* discordant) noexcept {
    std::int64_t agree = 0, against = 0;
    for (std::size_t w = 0; w < words; ++w) {
        agree += __builtin_popcountll((above_a[w] & above_b[w]) | (below_a[w] & below_b[w]));
        against += __builtin_popcountll((above_a[w] & below_b[w]) | (below_a[w] & above_b[w]));
    }
    *concordant = agree;
    *discordant = against;
}

}  // namespace tauscope
