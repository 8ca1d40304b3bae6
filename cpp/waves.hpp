// The loop of sum_waves(), included by expected.hpp once for each width of vectors: TAUSCOPE_WAVES names the function. Lanes
// are added up in the same order whatever the width.
TAUSCOPE_WAVES_TARGET
inline void TAUSCOPE_WAVES(const Waves& w, std::size_t padded, std::size_t nodes, double* real,
                           double* imaginary) noexcept {
    typedef double Vector __attribute__((vector_size(TAUSCOPE_WAVES_BYTES), aligned(16), may_alias));
    constexpr std::size_t width = sizeof(Vector) / sizeof(double), vectors = LANES / width;
    Vector *cosine = reinterpret_cast<Vector*>(w.cosine), *cosine_before = reinterpret_cast<Vector*>(w.cosine_before);
    Vector *sine = reinterpret_cast<Vector*>(w.sine), *sine_before = reinterpret_cast<Vector*>(w.sine_before);
    const Vector* twice = reinterpret_cast<const Vector*>(w.twice);
    for (std::size_t node = 0; node < nodes; node += 2) {
        Vector c0[vectors] = {}, s0[vectors] = {}, c1[vectors] = {}, s1[vectors] = {};
        for (std::size_t k = 0; k < padded / width; k += vectors) {
            for (std::size_t l = 0; l < vectors; ++l) {
                // Chebyshev's recurrence, two nodes at a time.
                const Vector c = cosine[k + l], s = sine[k + l], t = twice[k + l];
                const Vector c_next = t * c - cosine_before[k + l], s_next = t * s - sine_before[k + l];
                c0[l] += c;
                s0[l] += s;
                c1[l] += c_next;
                s1[l] += s_next;
                cosine_before[k + l] = c_next;
                sine_before[k + l] = s_next;
                cosine[k + l] = t * c_next - c;
                sine[k + l] = t * s_next - s;
            }
        }
        double lanes[LANES];
        std::memcpy(lanes, c0, sizeof lanes);
        real[node] = lane_sum(lanes);
        std::memcpy(lanes, s0, sizeof lanes);
        imaginary[node] = lane_sum(lanes);
        std::memcpy(lanes, c1, sizeof lanes);
        real[node + 1] = lane_sum(lanes);
        std::memcpy(lanes, s1, sizeof lanes);
        imaginary[node + 1] = lane_sum(lanes);
    }
}
#undef TAUSCOPE_WAVES
#undef TAUSCOPE_WAVES_TARGET
#undef TAUSCOPE_WAVES_BYTES
