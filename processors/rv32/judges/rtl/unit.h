// A unit behind a core's port: a model of its own, loaded when the runner starts.
#pragma once

#include <cstdint>

// What a request and a response take, as Verilator keeps them.
constexpr int REQUEST_WORDS = 4;
using Request = uint32_t[REQUEST_WORDS];

// The functions of its shared object.
extern "C" {
void *unit_made();
// Its response to a request while the clock is low or high.
uint64_t unit_response(void *unit, bool clk, bool reset, const Request &request);
}
