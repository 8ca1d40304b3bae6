// Python's view of the kernels: arrays in, arrays out, the interpreter lock released while rows are shared among threads.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <tuple>

#include "ap.hpp"
#include "gap.hpp"
#include "pearson.hpp"
#include "judged.hpp"
#include "expected.hpp"
#include "flips.hpp"
#include "permute.hpp"

namespace nb = nanobind;
using namespace tauscope;

namespace {

// The numbers of kernels.Code.
enum Code { TAU, TAU_A, TAU_B, TAU_E, TAU_AP, TAU_AP_A, TAU_AP_B, TAU_AP_E, TAU_GAP, PEARSON_RANK, PEARSON, SPEARMAN };

// The values of errors.Undefined.
enum Reason : std::int8_t {
    DEFINED = 0, NOT_FINITE, TOO_FEW, NEGATIVE_SHARE, TIED_ESTIMATE, TIED_TRUTH, TIED_BOTH, ALL_TIED_ESTIMATE,
    ALL_TIED_TRUTH, ALL_TIED_BOTH, CONSTANT_ESTIMATE, CONSTANT_TRUTH, CONSTANT_BOTH, NOTHING_COUNTS, NEGATIVE_TRUTH
};

// Signs of all pairs of all rankings are packed up to 256 MB a bit plane.
constexpr std::size_t PACKED_WORDS = std::size_t{1} << 25;

constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

struct Options {
    Code code;
    Tolerance estimate, truth;
    bool ties_are_zero;
};

struct Outcome {
    double value = NaN;
    Reason reason = DEFINED;
    double directions[2] = {NaN, NaN};
};

struct Workspace {
    Levels estimate, truth;
    Scratch scratch;
    GapScratch gap;
    PearsonScratch pearson;
    SortBuffers sort;
    SmallRanks small_estimate, small_truth;
    Buffer<std::uint8_t> bytes;
    Buffer<std::int32_t> positions;
};

bool all_finite(const double* scores, std::int32_t n) noexcept {
    bool finite = true;
    for (std::int32_t i = 0; i < n; ++i) finite &= std::fabs(scores[i]) <= std::numeric_limits<double>::max();
    return finite;
}

// Of scores that may have been negated for "lower is better": a share of the smaller score needs one sign throughout.
bool mixed_signs(const double* scores, std::int32_t n) noexcept {
    bool below = false, above = false;
    for (std::int32_t i = 0; i < n; ++i) {
        below |= scores[i] < 0.0;
        above |= scores[i] > 0.0;
    }
    return below && above;
}

Reason check(const double* scores, std::int32_t n, Tolerance tolerance) noexcept {
    if (!all_finite(scores, n)) return NOT_FINITE;
    if (n < 2) return TOO_FEW;
    if (tolerance.relative && tolerance.width > 0.0 && mixed_signs(scores, n)) return NEGATIVE_SHARE;
    return DEFINED;
}

// Of two reasons the one that the other rests on: they are in that order.
Reason first_of(Reason a, Reason b) noexcept { return a && (!b || a < b) ? a : b; }

Reason either(bool estimate, bool truth, Reason first) noexcept {
    if (!estimate && !truth) return DEFINED;
    return static_cast<Reason>(first + (estimate && truth ? 2 : truth ? 1 : 0));
}

bool needs_estimate_levels(Code code) noexcept { return code != PEARSON && code != PEARSON_RANK; }
// The estimate is asked for positions only where the truth is walked.
bool needs_positions(const Options& o) noexcept { return o.code == TAU_AP_B && o.ties_are_zero; }
bool needs_truth_levels(Code code, std::int32_t n) noexcept {
    return code != PEARSON && (code != TAU_GAP || n > SET_ABOVE);
}

// Kendall's coefficients need nothing but the counts.
bool counts_only(Code code) noexcept { return code <= TAU_E; }

Outcome from_counts(Code code, const PairCounts& c, std::int32_t n) {
    Outcome out;
    const std::int64_t pairs = std::int64_t{n} * (n - 1) / 2;
    if (code == TAU) out.reason = either(c.tied_estimate > 0, c.tied_truth > 0, TIED_ESTIMATE);
    if (code == TAU_B) out.reason = either(c.tied_estimate == pairs, c.tied_truth == pairs, ALL_TIED_ESTIMATE);
    if (out.reason) return out;
    out.value = code == TAU_E ? tau_e(c, pairs) : code == TAU_B ? tau_b(c, pairs) : tau_a(c, pairs);
    return out;
}

// Small rankings without a tolerance are counted without being sorted.
bool counts_small(const Options& o, std::int32_t n) noexcept {
    return counts_only(o.code) && n <= SORT_ABOVE && o.estimate.width == 0.0 && o.truth.width == 0.0;
}

Outcome from_ranks(Code code, const SmallRanks& estimate, const SmallRanks& truth, std::int32_t n) {
    PairCounts c;
    c.tied_estimate = estimate.ties;
    c.tied_truth = truth.ties;
    count_agreeing(estimate.below, truth.below, n, &c.concordant, &c.discordant);
    return from_counts(code, c, n);
}

Outcome evaluate(const Options& o, const double* estimate, const double* truth, const Levels& e, const Levels& t,
                 std::int32_t n, Workspace& w) {
    Outcome out;
    switch (o.code) {
        case TAU:
        case TAU_A:
        case TAU_B:
        case TAU_E: return from_counts(o.code, pair_counts(e, t, w.scratch), n);
        case TAU_AP:
            out.reason = either(e.ties > 0, t.ties > 0, TIED_ESTIMATE);
            if (!out.reason) out.value = tau_ap(e, t, w.scratch);
            break;
        case TAU_AP_A: out.value = tau_ap_a(e, t, w.scratch); break;
        case TAU_AP_B:
            out.reason = either(e.all_tied(), t.all_tied(), ALL_TIED_ESTIMATE);
            tau_ap_b(e, t, o.ties_are_zero, w.scratch, out.directions);
            out.value = (out.directions[0] + out.directions[1]) / 2;
            break;
        case TAU_AP_E: out.value = tau_ap_e(e, t, w.scratch); break;
        case TAU_GAP:
            out.value = tau_gap(truth, e, t, w.scratch, w.gap);
            if (out.value != out.value) out.reason = NOTHING_COUNTS;
            break;
        case PEARSON_RANK:
            for (std::int32_t i = 0; i < n; ++i)
                if (truth[i] < 0.0) out.reason = NEGATIVE_TRUTH;
            if (out.reason) return out;
            out.value = pearson_rank(truth, estimate, t, w.pearson);
            if (out.value != out.value) out.reason = NOTHING_COUNTS;
            break;
        case PEARSON:
            out.reason = either(is_constant(estimate, n), is_constant(truth, n), CONSTANT_ESTIMATE);
            if (!out.reason) out.value = pearson(estimate, truth, n, w.pearson);
            break;
        case SPEARMAN:
            out.reason = either(e.all_tied(), t.all_tied(), CONSTANT_ESTIMATE);
            if (!out.reason) out.value = spearman(e, t, w.pearson);
            break;
    }
    return out;
}

// Runs body(index, workspace) for 0..count-1 on up to `threads` threads; the first exception is thrown again here.
template <class Body>
void share(std::size_t count, int threads, std::size_t chunk, Body body) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex guard;
    const auto work = [&] {
        try {
            Workspace workspace;
            for (;;) {
                const std::size_t begin = next.fetch_add(chunk);
                if (begin >= count) return;
                for (std::size_t i = begin; i < std::min(count, begin + chunk); ++i) body(i, workspace);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(guard);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> pool;
    for (int t = 1; t < threads; ++t) pool.emplace_back(work);
    work();
    for (auto& thread : pool) thread.join();
    if (failure) std::rethrow_exception(failure);
}

using In1 = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using In2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Out2 = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Out1 = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Reasons1 = nb::ndarray<std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Reasons2 = nb::ndarray<std::int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// What Python has made sure of. It costs nothing to look again, and a wrong shape must not end the interpreter.
void require(bool holds, const char* what) {
    if (!holds) throw nb::value_error(what);
}

bool is_tolerance(double width) noexcept { return width >= 0.0 && width <= std::numeric_limits<double>::max(); }

std::int32_t items(std::size_t n) {
    require(n <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), "too many items");
    return static_cast<std::int32_t>(n);
}

Options options(int code, double we, bool re, double wt, bool rt, bool zero) {
    require(code >= TAU && code <= SPEARMAN, "no such coefficient");
    require(is_tolerance(we) && is_tolerance(wt), "a tolerance is at least 0 and finite");
    return {static_cast<Code>(code), {we, re}, {wt, rt}, zero};
}

Outcome one_pair(const Options& o, const double* estimate, const double* truth, std::int32_t n, Workspace& w) {
    Outcome out;
    if ((out.reason = first_of(check(estimate, n, o.estimate), check(truth, n, o.truth)))) return out;
    if (counts_small(o, n) && w.small_estimate.build(estimate, n) && w.small_truth.build(truth, n))
        return from_ranks(o.code, w.small_estimate, w.small_truth, n);
    if (needs_estimate_levels(o.code)) w.estimate.build(estimate, n, o.estimate, w.sort, needs_positions(o));
    if (needs_truth_levels(o.code, n)) w.truth.build(truth, n, o.truth, w.sort, true);
    if (n >= 1 << 22) {  // what a huge ranking no longer needs is memory that counting can use
        w.sort = SortBuffers{};
        if (!needs_positions(o)) w.scratch.disposable = &w.truth;
    }
    return evaluate(o, estimate, truth, w.estimate, w.truth, n, w);
}

std::tuple<double, int, double, double> one(int code, In1 estimate, In1 truth, double we, bool re, double wt, bool rt, bool zero) {
    thread_local Workspace kept;  // small rankings by the thousand: no allocation a call
    require(estimate.shape(0) == truth.shape(0), "rankings of different sizes");
    const std::int32_t n = items(estimate.shape(0));
    const Options o = options(code, we, re, wt, rt, zero);
    Outcome out;
    if (n <= SET_ABOVE) {
        out = one_pair(o, estimate.data(), truth.data(), n, kept);
    } else {
        nb::gil_scoped_release release;
        Workspace workspace;
        out = one_pair(o, estimate.data(), truth.data(), n, workspace);
    }
    return {out.value, out.reason, out.directions[0], out.directions[1]};
}

// estimates: (B, n); truth: (1, n) or (B, n).
void batch(int code, In2 estimates, In2 truth, double we, bool re, double wt, bool rt, bool zero, int threads, Out1 values,
           Reasons1 reasons) {
    const Options o = options(code, we, re, wt, rt, zero);
    const std::size_t rows = estimates.shape(0);
    const std::int32_t n = items(estimates.shape(1));
    require(truth.shape(1) == estimates.shape(1) && (truth.shape(0) == 1 || truth.shape(0) == rows) &&
                values.shape(0) == rows && reasons.shape(0) == rows,
            "arrays of a batch do not fit together");
    const double *e = estimates.data(), *t = truth.data();
    double* value = values.data();
    std::int8_t* reason = reasons.data();
    const bool shared = truth.shape(0) == 1;
    nb::gil_scoped_release release;
    Levels truth_levels;
    SortBuffers buffers;
    Reason truth_reason = DEFINED;
    SmallRanks truth_ranks;
    bool small = false;
    if (shared) {
        truth_reason = check(t, n, o.truth);
        small = !truth_reason && counts_small(o, n) && truth_ranks.build(t, n);
        if (!truth_reason && needs_truth_levels(o.code, n)) truth_levels.build(t, n, o.truth, buffers, true);
    }
    const std::size_t chunk = n > 4096 ? 1 : 64;
    share(rows, threads, chunk, [&](std::size_t row, Workspace& w) {
        const double* scores = e + row * n;
        Outcome out;
        if (!shared) {
            out = one_pair(o, scores, t + row * n, n, w);
        } else if ((out.reason = first_of(truth_reason, check(scores, n, o.estimate)))) {
            // stays undefined
        } else if (small && w.small_estimate.build(scores, n)) {
            out = from_ranks(o.code, w.small_estimate, truth_ranks, n);
        } else {
            if (needs_estimate_levels(o.code)) w.estimate.build(scores, n, o.estimate, w.sort, needs_positions(o));
            out = evaluate(o, scores, t, w.estimate, truth_levels, n, w);
        }
        value[row] = out.value;
        reason[row] = out.reason;
    });
}

// values[i][j]: row i is the truth, column j the estimate.
void matrix(int code, In2 rankings, double we, bool re, double wt, bool rt, bool zero, bool symmetric, int threads,
            Out2 values, Reasons2 reasons) {
    const Options o = options(code, we, re, wt, rt, zero);
    const std::size_t k = rankings.shape(0);
    const std::int32_t n = items(rankings.shape(1));
    require(values.shape(0) == k && values.shape(1) == k && reasons.shape(0) == k && reasons.shape(1) == k,
            "arrays of a matrix do not fit together");
    const double* scores = rankings.data();
    double* value = values.data();
    std::int8_t* reason = reasons.data();
    nb::gil_scoped_release release;
    const bool one_set = we == wt && re == rt;
    std::vector<Levels> estimates(k), truths(one_set ? 0 : k);
    std::vector<Reason> estimate_reasons(k), truth_reasons(k);
    const std::size_t words = n > 1 ? PackedSigns::words(n) : 0;
    const bool packed = counts_only(o.code) && words > 0 && words * k * (one_set ? 1 : 2) <= PACKED_WORDS;
    std::vector<PackedSigns> estimate_signs(packed ? k : 0), truth_signs(packed && !one_set ? k : 0);
    share(k, threads, 1, [&](std::size_t i, Workspace& w) {
        const double* row = scores + i * n;
        estimate_reasons[i] = check(row, n, o.estimate);
        truth_reasons[i] = check(row, n, o.truth);
        if (o.code == PEARSON) return;
        if (!estimate_reasons[i]) estimates[i].build(row, n, o.estimate, w.sort, true);
        if (!one_set && !truth_reasons[i]) truths[i].build(row, n, o.truth, w.sort, true);
        if (packed && !estimate_reasons[i]) estimate_signs[i].build(estimates[i], w.bytes, w.positions);
        if (packed && !one_set && !truth_reasons[i]) truth_signs[i].build(truths[i], w.bytes, w.positions);
    });
    const std::vector<PackedSigns>& other_signs = one_set ? estimate_signs : truth_signs;
    const std::vector<Levels>& truth_levels = one_set ? estimates : truths;
    share(k, threads, 1, [&](std::size_t i, Workspace& w) {
        for (std::size_t j = symmetric ? i : 0; j < k; ++j) {
            Outcome out;
            if ((out.reason = first_of(truth_reasons[i], estimate_reasons[j]))) {
                // stays undefined
            } else if (packed) {
                PairCounts c;
                c.tied_estimate = estimates[j].ties;
                c.tied_truth = truth_levels[i].ties;
                count_packed(estimate_signs[j].above.data(), estimate_signs[j].below.data(), other_signs[i].above.data(),
                             other_signs[i].below.data(), words, &c.concordant, &c.discordant);
                out = from_counts(o.code, c, n);
            } else {
                out = evaluate(o, scores + j * n, scores + i * n, estimates[j], truth_levels[i], n, w);
            }
            value[i * k + j] = out.value;
            reason[i * k + j] = out.reason;
            if (symmetric && j != i) {
                // Seen from the other side, what was wrong with the estimate is wrong with the truth.
                Reason mirrored = out.reason;
                if (mirrored == TIED_ESTIMATE || mirrored == ALL_TIED_ESTIMATE || mirrored == CONSTANT_ESTIMATE)
                    mirrored = static_cast<Reason>(mirrored + 1);
                else if (mirrored == TIED_TRUTH || mirrored == ALL_TIED_TRUTH || mirrored == CONSTANT_TRUTH)
                    mirrored = static_cast<Reason>(mirrored - 1);
                value[j * k + i] = out.value;
                reason[j * k + i] = mirrored;
            }
        }
    });
}

std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> counts(In1 estimate, In1 truth, double we, bool re, double wt, bool rt) {
    const std::int32_t n = items(estimate.shape(0));
    require(truth.shape(0) == estimate.shape(0), "rankings of different sizes");
    require(is_tolerance(we) && is_tolerance(wt), "a tolerance is at least 0 and finite");
    require(all_finite(estimate.data(), n) && all_finite(truth.data(), n), "a score is not finite");
    nb::gil_scoped_release release;
    Workspace w;
    w.estimate.build(estimate.data(), n, {we, re}, w.sort, false);
    w.truth.build(truth.data(), n, {wt, rt}, w.sort, true);
    const PairCounts c = pair_counts(w.estimate, w.truth, w.scratch);
    return {c.concordant, c.discordant, c.tied_estimate, c.tied_truth};
}

}  // namespace

// ---- Runs and judgments: bytes in, arrays out. Kept apart from the coefficients above. ----
namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Slots = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A NumPy array that keeps the vector alive.
template <class T>
nb::object array_of(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

nb::bytes bytes_of(const std::vector<char>& text) { return nb::bytes(text.data(), text.size()); }

// Numbers from 0 that do not fall, the last of them at most `most`.
bool rising(const Integers& values, std::size_t most) noexcept {
    std::int64_t before = 0;
    for (std::size_t i = 0; i < values.shape(0); ++i) {
        if (values.data()[i] < before) return false;
        before = values.data()[i];
    }
    return values.shape(0) > 0 && static_cast<std::uint64_t>(before) <= most;
}

bool within(const Integers& values, std::int64_t least, std::size_t below) noexcept {
    for (std::size_t i = 0; i < values.shape(0); ++i)
        if (values.data()[i] < least || values.data()[i] >= static_cast<std::int64_t>(below)) return false;
    return true;
}

// Texts, and entries of topics among them.
void require_texts(const Bytes& text, const Integers& starts, const Integers& offsets) {
    require(rising(starts, text.shape(0)) && rising(offsets, starts.shape(0) - 1), "texts do not fit together");
}

Texts texts(const Bytes& text, const Integers& starts) {
    return {reinterpret_cast<const char*>(text.data()), starts.data()};
}

// (topics, topic starts, offsets, documents, starts, values, by hand, tag, fault, where the bad line begins)
nb::tuple parse_table(nb::bytes data, int columns, int document, int value, int tag, bool whole, int rank) {
    const auto column = [&](int at, int least) { return at >= least && at < std::min(columns, parsing::MOST_COLUMNS); };
    require(column(document, 0) && column(value, 0) && column(tag, -1) && column(rank, -1), "no such column");
    const char* bytes = data.c_str();
    const std::size_t size = data.size();
    Table table;
    {
        nb::gil_scoped_release release;
        parse(bytes, size, {columns, document, value, tag, whole, rank}, table);
    }
    nb::bytes tag_bytes(table.tag.data(), table.tag.size());
    return nb::make_tuple(bytes_of(table.topics), array_of(std::move(table.topic_starts)),
                          array_of(std::move(table.offsets)), bytes_of(table.documents),
                          array_of(std::move(table.starts)), array_of(std::move(table.values)),
                          array_of(std::move(table.by_hand)), tag_bytes, static_cast<int>(table.fault), table.fault_at);
}

// Whether the text from `start` on is as many numbers as `row` has places; it holds them then.
bool read_row(nb::str line, std::size_t start, char delimiter, nb::ndarray<double, nb::ndim<1>, nb::c_contig> row) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(line.ptr(), &size);
    if (!text || start > static_cast<std::size_t>(size)) return false;
    return parsing::read_row(text + start, text + size, delimiter, row.data(), row.shape(0));
}

nb::object order_documents(Bytes documents, Integers starts, In1 scores, Integers offsets, bool input_order) {
    require_texts(documents, starts, offsets);
    require(starts.shape(0) == scores.shape(0) + 1 && offsets.data()[0] == 0 &&
                static_cast<std::size_t>(offsets.data()[offsets.shape(0) - 1]) == scores.shape(0),
            "scores do not fit the documents");
    for (std::size_t i = 0; i < scores.shape(0); ++i) require(scores.data()[i] == scores.data()[i], "a score is no number");
    std::vector<std::int64_t> order(scores.shape(0));
    {
        nb::gil_scoped_release release;
        rank_documents(texts(documents, starts), scores.data(), offsets.data(), offsets.shape(0) - 1, input_order,
                       order.data());
    }
    return array_of(std::move(order));
}

// (slots, slot offsets)
nb::tuple judgment_index(Bytes documents, Integers starts, Integers offsets) {
    require_texts(documents, starts, offsets);
    JudgmentIndex index;
    {
        nb::gil_scoped_release release;
        index_judgments(texts(documents, starts), offsets.data(), offsets.shape(0) - 1, index);
    }
    return nb::make_tuple(array_of(std::move(index.slots)), array_of(std::move(index.slot_offsets)));
}

// (topic, place, entry) of the judged documents of a run.
nb::tuple judged_documents(Bytes documents, Integers starts, Integers offsets, Integers order, Integers topic_of,
                           std::int64_t depth, Bytes judged, Integers judged_starts, Integers judged_offsets, Slots slots,
                           Integers slot_offsets) {
    require_texts(documents, starts, offsets);
    require_texts(judged, judged_starts, judged_offsets);
    require(rising(slot_offsets, slots.shape(0)) && slot_offsets.shape(0) == judged_offsets.shape(0) &&
                within(topic_of, -1, judged_offsets.shape(0) - 1) && topic_of.shape(0) + 1 == offsets.shape(0) &&
                static_cast<std::size_t>(offsets.data()[offsets.shape(0) - 1]) <= order.shape(0) &&
                within(order, 0, starts.shape(0) - 1),
            "judgments do not fit the documents");
    Found found;
    {
        nb::gil_scoped_release release;
        find_judged(texts(documents, starts), offsets.data(), order.data(), topic_of.data(), topic_of.shape(0), depth,
                    texts(judged, judged_starts), judged_offsets.data(), slots.data(), slot_offsets.data(), found);
    }
    return nb::make_tuple(array_of(std::move(found.topic)), array_of(std::move(found.place)),
                          array_of(std::move(found.entry)));
}

void bind_runs(nb::module_& m) {
    m.def("parse_table", &parse_table);
    m.def("read_row", &read_row);
    m.def("order_documents", &order_documents);
    m.def("judgment_index", &judgment_index);
    m.def("judged_documents", &judged_documents);
}

}  // namespace

// ---- Expected correlation: differences of pairs of systems, and one ranking against many. ----
namespace {

void kernel_density(In2 ordered, double tolerance, int threads, Out1 chances) {
    const std::size_t rows = ordered.shape(0), n = ordered.shape(1);
    require(chances.shape(0) == rows, "arrays of differences do not fit together");
    const double* values = ordered.data();
    double* chance = chances.data();
    nb::gil_scoped_release release;
    share(rows, threads, 64, [&](std::size_t row, Workspace&) {
        thread_local DensityScratch scratch;
        chance[row] = density_below_zero(values + row * n, n, tolerance, scratch);
    });
}

// estimates: (1, m) or (B, m); truths: (B, m).
void discordance_batch(In2 estimates, In2 truths, double tolerance, int threads, Out1 distances, Out1 heads) {
    const std::size_t rows = truths.shape(0), m = truths.shape(1);
    require(estimates.shape(1) == m && (estimates.shape(0) == 1 || estimates.shape(0) == rows) &&
                distances.shape(0) == rows && heads.shape(0) == rows,
            "arrays of rankings do not fit together");
    const bool shared = estimates.shape(0) == 1;
    const double *estimate = estimates.data(), *truth = truths.data();
    double *distance = distances.data(), *head = heads.data();
    nb::gil_scoped_release release;
    std::vector<std::int64_t> begin;
    const bool sorted = shared && sorted_begins(estimate, m, tolerance, begin);
    share(rows, threads, 64, [&](std::size_t row, Workspace&) {
        thread_local DiscordanceScratch scratch;
        const double* own = shared ? estimate : estimate + row * m;
        if (sorted)
            discordance_sorted(truth + row * m, begin, m, tolerance, scratch, distance + row, head + row);
        else
            discordance(own, truth + row * m, m, tolerance, scratch, distance + row, head + row);
    });
}

using Places = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Adds up what body(lanes, flips, counts) counts in groups of eight rows of sums; whole numbers, so that threads do not matter.
template <class Body>
void count_flips(In2 sums, std::size_t size, int threads, std::int64_t* reached, Body body) {
    const std::size_t draws = sums.shape(0), m = sums.shape(1);
    const double* rows = sums.data();
    std::mutex guard;
    const std::size_t groups = (draws + LANES - 1) / LANES;
    const std::size_t parts = std::min<std::size_t>(groups, static_cast<std::size_t>(std::max(1, threads)));
    share(parts, threads, 1, [&](std::size_t part, Workspace&) {
        std::vector<std::int64_t> counts(size, 0);
        std::vector<double> lanes(m * LANES);
        for (std::size_t group = part; group < groups; group += parts) {
            const std::size_t flips = std::min(LANES, draws - group * LANES);
            gather_lanes(rows + group * LANES * m, flips, m, lanes.data());
            body(lanes.data(), flips, counts.data());
        }
        const std::lock_guard<std::mutex> lock(guard);
        for (std::size_t k = 0; k < size; ++k) reached[k] += counts[k];
    });
}

void reached_by_flips(In2 sums, Places first, Places second, In1 scale, In1 limit, int threads, Counts reached) {
    const std::size_t pairs = scale.shape(0);
    require(first.shape(0) == pairs && second.shape(0) == pairs && limit.shape(0) == pairs && reached.shape(0) == pairs,
            "arrays of pairs do not fit together");
    for (const Places* side : {&first, &second})
        for (std::size_t k = 0; k < pairs; ++k)
            require(side->data()[k] >= 0 && static_cast<std::size_t>(side->data()[k]) < sums.shape(1), "no such system");
    const std::int32_t *a = first.data(), *b = second.data();
    const double *by = scale.data(), *least = limit.data();
    std::int64_t* counts = reached.data();
    nb::gil_scoped_release release;
    count_flips(sums, pairs, threads, counts, [&](const double* lanes, std::size_t flips, std::int64_t* own) {
        flips_reached(lanes, flips, a, b, by, least, pairs, own);
    });
}

void exceeding_by_flips(In2 sums, In2 scale, In1 own, int threads, Counts reached) {
    const std::size_t m = sums.shape(1);
    require(scale.shape(0) == m && scale.shape(1) == m && own.shape(0) == m && reached.shape(0) == m,
            "arrays of systems do not fit together");
    const double *by = scale.data(), *least = own.data();
    std::int64_t* counts = reached.data();
    nb::gil_scoped_release release;
    count_flips(sums, m, threads, counts, [&](const double* lanes, std::size_t flips, std::int64_t* found) {
        flips_exceeding(lanes, flips, by, least, m, found);
    });
}

void permuted_ranges(In2 scores, std::uint64_t key, std::uint64_t first, int threads, Out1 ranges) {
    const std::size_t topics = scores.shape(0), draws = ranges.shape(0);
    const std::int32_t m = items(scores.shape(1));
    require(m > 0, "no systems");
    const double* values = scores.data();
    double* range = ranges.data();
    nb::gil_scoped_release release;
    share(draws, threads, 4, [&](std::size_t draw, Workspace&) {
        thread_local PermuteScratch scratch;
        range[draw] = permuted_range(values, topics, m, key, first + draw, scratch);
    });
}

void bind_expected(nb::module_& m) {
    m.def("permuted_ranges", &permuted_ranges);
    m.def("flips_reached", &reached_by_flips);
    m.def("flips_exceeding", &exceeding_by_flips);
    m.def("kernel_density", &kernel_density);
    m.def("discordance", &discordance_batch);
}

}  // namespace

NB_MODULE(_kernels, m) {
    m.doc() = "Compiled kernels; `reference` has a twin of each.";
    m.attr("SORT_ABOVE") = SORT_ABOVE;
    m.attr("SET_ABOVE") = SET_ABOVE;
    m.def("one", &one);
    m.def("batch", &batch);
    m.def("matrix", &matrix);
    m.def("counts", &counts);
    bind_runs(m);
    bind_expected(m);
}
