// Tf32Products: fp32 products of this process in TF32 (19 bits, NVIDIA from compute capability 8.0 on), or exactly in
// fp32, for as long as it lives.
#pragma once

namespace slipway::trainer {

/// libtorch's switch is one of the whole process: of two of them alive at once the younger counts. A CPU computes in
/// fp32 either way.
class Tf32Products {
public:
    explicit Tf32Products(bool allowed);
    /// As it was before.
    ~Tf32Products();
    Tf32Products(const Tf32Products&) = delete;
    Tf32Products& operator=(const Tf32Products&) = delete;

private:
    bool m_before;
};

}  // namespace slipway::trainer
