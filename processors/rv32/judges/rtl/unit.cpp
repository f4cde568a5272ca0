// The unit as a shared object. What Verilator's library has is the runner's.
#include "unit.h"

#include <algorithm>

#include "Vunit.h"
#include "verilated.h"

void *unit_made() { return new Vunit(new VerilatedContext); }

uint64_t unit_response(void *unit, bool clk, bool reset, const Request &request) {
    auto *model = static_cast<Vunit *>(unit);
    model->clk = clk;
    model->reset = reset;
    std::copy_n(request, REQUEST_WORDS, &model->request[0]);
    model->eval();
    return model->response;
}
