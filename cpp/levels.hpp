// One ranking, turned from scores into integer positions: after this, every ordinal coefficient is counting.
// Positions run from the lowest score (0) to the highest (n - 1).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// Runtime choice of AVX2 on x86-64 ELF; elsewhere the compiler's default target. Cloned functions hold raw loops
// only: helpers inlined into them would be lowered for the wrong target.
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__)
#define TAUSCOPE_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define TAUSCOPE_CLONES
#endif

namespace tauscope {

// width: scores this close are tied (inclusive). relative: width is a share of the smaller score. Twin: arrays.is_tied
struct Tolerance {
    double width = 0.0;
    bool relative = false;
};

inline bool is_tied(double a, double b, Tolerance w) noexcept {
    if (w.width == 0.0) return a == b;
    const double larger = std::max(std::fabs(a), std::fabs(b));
    const double width = w.relative ? w.width * std::min(std::fabs(a), std::fabs(b)) : w.width;
    const double slack = std::max(1e-9 * width, 8 * std::numeric_limits<double>::epsilon() * larger);
    return std::fabs(a - b) <= width + slack;
}

// below[i] = number of keys smaller than keys[i]. n is a multiple of 16.
TAUSCOPE_CLONES
inline void count_below(const float* keys, std::int32_t n, std::int32_t* below) noexcept {
    for (std::int32_t i = 0; i < n; i += 16) {
        std::int32_t count[16] = {0};
        for (std::int32_t j = 0; j < n; ++j)
            for (int k = 0; k < 16; ++k) count[k] += keys[j] < keys[i + k];
        for (int k = 0; k < 16; ++k) below[i + k] = count[k];
    }
}

// Doubles as unsigned integers of the same order; -0.0 and 0.0 are one number.
inline std::uint64_t sortable(double value) noexcept {
    value += 0.0;
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits ^ ((std::uint64_t{0} - (bits >> 63)) | std::uint64_t{1} << 63);
}

// An array that is not cleared first. Large ones ask for huge pages: with millions of items, page faults would cost as
// much as the sorting.
template <class T>
class Buffer {
  public:
    void resize(std::size_t n) {
        if (n <= capacity_) return;
        data_.reset();
        constexpr std::size_t HUGE_PAGE = std::size_t{1} << 21;
        const std::size_t bytes = n * sizeof(T);
#if defined(__linux__)
        if (bytes >= HUGE_PAGE) {
            const std::size_t rounded = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
            void* memory = std::aligned_alloc(HUGE_PAGE, rounded);
            if (!memory) throw std::bad_alloc();
            madvise(memory, rounded, MADV_HUGEPAGE);
            data_.reset(static_cast<T*>(memory));
            capacity_ = n;
            return;
        }
#endif
        data_.reset(static_cast<T*>(std::malloc(std::max<std::size_t>(bytes, 1))));
        if (!data_) throw std::bad_alloc();
        capacity_ = n;
    }
    void fill(std::size_t n, T value) {
        resize(n);
        std::fill(data_.get(), data_.get() + n, value);
    }
    T* data() noexcept { return data_.get(); }
    const T* data() const noexcept { return data_.get(); }
    T& operator[](std::size_t i) noexcept { return data_.get()[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_.get()[i]; }

  private:
    struct Free {
        void operator()(T* memory) const noexcept { std::free(memory); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t capacity_ = 0;
};

struct SortBuffers {
    Buffer<std::uint64_t> from, to;
};

// Sorts on the leading bits that differ at all, with the item number in the bits below; returns the sorted entries.
// Ten bits a pass: more buckets than that overflow the first-level cache.
template <int PASSES>
const std::uint64_t* radix_sort(const double* scores, std::int32_t n, SortBuffers& buffers) {
    constexpr int DIGIT = 10, ITEM = 64 - DIGIT * PASSES;
    constexpr std::size_t BUCKETS = std::size_t{1} << DIGIT;
    std::uint64_t any = 0, all = ~std::uint64_t{0};
    for (std::int32_t i = 0; i < n; ++i) {
        const std::uint64_t key = sortable(scores[i]);
        any |= key;
        all &= key;
    }
    int skip = 0;
    for (const std::uint64_t differ = any ^ all; skip < ITEM && !(differ >> (63 - skip)); ++skip) {}
    std::uint32_t count[PASSES][BUCKETS] = {};
    buffers.from.resize(n);
    buffers.to.resize(n);
    std::uint64_t *from = buffers.from.data(), *to = buffers.to.data();
    for (std::int32_t i = 0; i < n; ++i) {
        const std::uint64_t key = (sortable(scores[i]) << skip) >> ITEM;
        for (int p = 0; p < PASSES; ++p) ++count[p][(key >> (p * DIGIT)) & (BUCKETS - 1)];
        from[i] = (key << ITEM) | static_cast<std::uint32_t>(i);
    }
    for (int p = 0; p < PASSES; ++p) {
        const int shift = ITEM + p * DIGIT;
        if (count[p][(from[0] >> shift) & (BUCKETS - 1)] == static_cast<std::uint32_t>(n)) continue;
        std::uint32_t start = 0;
        for (std::uint32_t& bucket : count[p]) {
            const std::uint32_t size = bucket;
            bucket = start;
            start += size;
        }
        for (std::int32_t i = 0; i < n; ++i) {
            const std::uint64_t entry = from[i];
            to[count[p][(entry >> shift) & (BUCKETS - 1)]++] = entry;
        }
        std::swap(from, to);
    }
    return from;
}

// Up to this many items, counting pairs is faster than sorting.
constexpr std::int32_t SORT_ABOVE = 256;

struct Levels {
    std::int32_t n = 0;
    Buffer<std::int32_t> order, position;        // position -> item, item -> position
    Buffer<std::int32_t> group_begin, group_end;  // by position: the items with exactly this score
    Buffer<std::int32_t> tied_begin, tied_end;    // by position: the items tied with this one, itself included
    std::int64_t exact_ties = 0, ties = 0;        // pairs
    bool wide = false;                            // there is a tolerance

    // as_judge: others will ask for the position of an item.
    void build(const double* scores, std::int32_t size, Tolerance tolerance, SortBuffers& buffers, bool as_judge) {
        n = size;
        for (auto* v : {&order, &group_begin, &group_end}) v->resize(n);
        if (n <= SORT_ABOVE) {
            sort_small(scores);
        } else if (n < 1 << 24) {
            sort_large<4>(scores, buffers);
        } else {
            sort_large<3>(scores, buffers);
        }
        // Without branches on where groups end: ties come at random, and a wrong guess costs more than the arithmetic.
        exact_ties = 0;
        for (std::int32_t p = n - 1, end = n; p >= 0; --p) {
            group_end[p] = end;
            exact_ties += p - group_begin[p];
            end += static_cast<std::int32_t>(group_begin[p] == p) * (p - end);
        }
        if (as_judge) {
            position.resize(n);
            for (std::int32_t p = 0; p < n; ++p) position[order[p]] = p;
        }
        ties = exact_ties;
        wide = tolerance.width != 0.0;
        if (wide) find_tied(scores, tolerance, buffers);
    }

    // Gives the memory back; the numbers of ties stay.
    void release() {
        for (auto* v : {&order, &position, &group_begin, &group_end, &tied_begin, &tied_end}) *v = Buffer<std::int32_t>{};
    }

    const std::int32_t* lower() const noexcept { return wide ? tied_begin.data() : group_begin.data(); }
    const std::int32_t* upper() const noexcept { return wide ? tied_end.data() : group_end.data(); }
    std::int64_t pairs() const noexcept { return std::int64_t{n} * (n - 1) / 2; }
    bool all_tied() const noexcept { return ties == pairs(); }

  private:
    // Rounding to float keeps the order but may make scores equal: they are placed by counting, then put right.
    void sort_small(const double* scores) {
        const std::int32_t padded = (n + 15) / 16 * 16;
        float keys[SORT_ABOVE];
        std::int32_t below[SORT_ABOVE], used[SORT_ABOVE] = {0};
        for (std::int32_t i = 0; i < n; ++i) keys[i] = static_cast<float>(scores[i]);
        for (std::int32_t i = n; i < padded; ++i) keys[i] = std::numeric_limits<float>::infinity();
        count_below(keys, padded, below);
        for (std::int32_t i = 0; i < n; ++i) order[below[i] + used[below[i]]++] = i;
        for (std::int32_t p = 1; p < n; ++p) {
            const std::int32_t item = order[p];
            std::int32_t q = p;
            for (; q > 0 && scores[order[q - 1]] > scores[item]; --q) order[q] = order[q - 1];
            order[q] = item;
        }
        double previous = n > 0 ? scores[order[0]] : 0.0;
        for (std::int32_t p = 0, begin = 0; p < n; ++p) {
            const double score = scores[order[p]];
            begin += static_cast<std::int32_t>(score != previous) * (p - begin);
            group_begin[p] = begin;
            previous = score;
        }
    }

    // Entries that the sorted bits could not tell apart are put right by their scores.
    template <int PASSES>
    void sort_large(const double* scores, SortBuffers& buffers) {
        constexpr int ITEM = 64 - 10 * PASSES;
        constexpr std::uint64_t ITEM_MASK = (std::uint64_t{1} << ITEM) - 1;
        const std::uint64_t* entries = radix_sort<PASSES>(scores, n, buffers);
        for (std::int32_t p = 0; p < n; ++p) order[p] = static_cast<std::int32_t>(entries[p] & ITEM_MASK);
        const auto by_score = [scores](std::int32_t i, std::int32_t j) { return scores[i] < scores[j]; };
        for (std::int32_t begin = 0; begin < n;) {
            std::int32_t end = begin + 1;
            while (end < n && (entries[end] >> ITEM) == (entries[begin] >> ITEM)) ++end;
            group_begin[begin] = begin;
            if (end - begin > 1) {
                std::int32_t* run = order.data() + begin;
                if (!std::is_sorted(run, run + (end - begin), by_score)) std::stable_sort(run, run + (end - begin), by_score);
                for (std::int32_t p = begin + 1; p < end; ++p)
                    group_begin[p] = scores[order[p]] == scores[order[p - 1]] ? group_begin[p - 1] : p;
            }
            begin = end;
        }
    }

    void find_tied(const double* scores, Tolerance tolerance, SortBuffers& buffers) {
        tied_begin.resize(n);
        tied_end.resize(n);
        buffers.to.resize(n);
        auto* ascending = reinterpret_cast<double*>(buffers.to.data());  // the sorted entries are done with
        for (std::int32_t p = 0; p < n; ++p) ascending[p] = scores[order[p]];
        std::int64_t windows = 0;
        for (std::int32_t p = 0, begin = 0, end = 0; p < n; ++p) {
            const double score = ascending[p];
            // A score is tied with itself: with a tolerance that makes nothing tied the window ends there all the same.
            while (begin < p && !is_tied(ascending[begin], score, tolerance)) ++begin;
            if (end <= p) end = p + 1;
            while (end < n && is_tied(ascending[end], score, tolerance)) ++end;
            tied_begin[p] = begin;
            tied_end[p] = end;
            windows += end - begin - 1;
        }
        ties = windows / 2;
    }
};

}  // namespace tauscope
