#include "trainer/kernels/tf32.h"

#include <ATen/Context.h>

namespace slipway::trainer {

Tf32Products::Tf32Products(bool allowed) : m_before(at::globalContext().allowTF32CuBLAS()) {
    at::globalContext().setAllowTF32CuBLAS(allowed);
}

Tf32Products::~Tf32Products() {
    at::globalContext().setAllowTF32CuBLAS(m_before);
}

}  // namespace slipway::trainer
