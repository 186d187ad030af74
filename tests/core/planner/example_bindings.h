// Binds rows of tests/data/examples.csv to functions of the product.
#pragma once

#include "core/base/json.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace slipway::test {

/// The product's answer for a row's inputs: a number, text, or an object or list of them.
using ExampleFunction = std::function<Json(const Json& inputs, const std::string& id)>;

/// Rows whose id begins with `prefix`; the longest prefix wins.
struct ExampleBinding {
    std::string prefix;
    ExampleFunction function;
};

std::vector<ExampleBinding> lawBindings();     // scaling laws, counting, FLOPs, learning rates, batches
std::vector<ExampleBinding> memoryBindings();  // memory, communication, bubbles, layouts
std::vector<ExampleBinding> costBindings();    // cost, utilisation, TPU sharding

/// Rows that belong to other rooms, with the room that tests them.
struct ForeignRows {
    std::string prefix;
    std::string room;
};
const std::vector<ForeignRows>& foreignRows();

}  // namespace slipway::test
