#include <string>
#include <vector>

namespace slipway::test::gpu {
int runTests(std::vector<std::string> words);
}

int main(int argc, char** argv) {
    return slipway::test::gpu::runTests({argv + 1, argv + argc});
}
