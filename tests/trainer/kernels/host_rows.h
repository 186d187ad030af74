// The lines that the CUDA kernels execute (row_programs.h, update_program.h), run by threads of the CPU: a test program
// that has host_rows.cpp among its sources has these in place of cudaRows(). What they cannot show is cuda_rows.cu's
// launches and its sum over a block.
#pragma once

#include "trainer/kernels/cuda_rows.h"

#include <atomic>

namespace slipway::trainer {

struct HostRows {
    CudaRows rows;
    Refusal refusal = nullptr;    ///< what every function answers
    std::atomic<int> updates{0};  ///< calls of adamW
};

HostRows& hostRows();

}  // namespace slipway::trainer
