// Tf32Products: selects fp32 products of this process in TF32 (19 bits, NVIDIA compute capability 8.0 or later), or
// exactly in fp32, during its lifetime.
#pragma once

namespace slipway::trainer {

/// libtorch's switch is global to the process: of two objects alive at once the younger wins. A CPU always computes in
/// fp32.
class Tf32Products {
public:
    explicit Tf32Products(bool allowed);
    /// Restores the previous setting.
    ~Tf32Products();
    Tf32Products(const Tf32Products&) = delete;
    Tf32Products& operator=(const Tf32Products&) = delete;

private:
    bool m_before;
};

}  // namespace slipway::trainer
