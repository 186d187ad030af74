// Slurm's programs in PATH, acted by tests/support/fake_slurm.
#pragma once

#include "core/base/file.h"
#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace slipway::test {

struct FakeSlurm {
    TempDir temp;
    std::string path = std::getenv("PATH");

    FakeSlurm() {
        std::filesystem::create_directories(temp.path() / "bin");
        for (const char* name : {"sbatch", "squeue", "sacct", "scancel", "scontrol", "srun"})
            std::filesystem::create_symlink(SLIPWAY_SOURCE_DIR "/tests/support/fake_slurm", temp.path() / "bin" / name);
        ::setenv("PATH", ((temp.path() / "bin").string() + ":" + path).c_str(), 1);
        ::setenv("FAKE_SLURM", temp.path().c_str(), 1);
    }
    ~FakeSlurm() { ::setenv("PATH", path.c_str(), 1); }
    FakeSlurm(const FakeSlurm&) = delete;
    FakeSlurm& operator=(const FakeSlurm&) = delete;

    /// "down", "lose", "hold", "refuse", "forget", "accounting".
    void set(const std::string& what, const std::string& text = "yes") const {
        (void)writeFileAtomically(temp.path() / what, text);
    }
    void clear(const std::string& what) const { std::filesystem::remove(temp.path() / what); }
    [[nodiscard]] std::string text(const std::string& file) const { return readFile(temp.path() / file).value_or(""); }
    [[nodiscard]] std::filesystem::path job(int number) const { return temp.path() / "jobs" / std::to_string(number); }
    void setState(int number, const std::string& state) const {
        (void)writeFileAtomically(job(number) / "state", state + "\n");
    }
};

}  // namespace slipway::test
