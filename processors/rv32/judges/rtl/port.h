// The clock: of a core by itself or, with PORT, of a core and the unit behind its port, which is loaded
// from a shared object.
#pragma once

#include <string>

#ifdef PORT
#include <dlfcn.h>

#include <algorithm>

#include "unit.h"

class Port {
  public:
    // `trouble` describes an error.
    Port(const char *path, std::string &trouble) : trouble(trouble) {
        void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!object) {
            trouble = std::string("the unit cannot be loaded: ") + dlerror();
            return;
        }
        response_to = reinterpret_cast<decltype(&unit_response)>(dlsym(object, "unit_response"));
        unit = reinterpret_cast<decltype(&unit_made)>(dlsym(object, "unit_made"))();
    }

    // A cycle of core and unit.
    template <typename Top> void tick(Top &top) {
        top.clk = 0;
        top.eval();
        settle(top);
        // At the edge each sees what the other said before it.
        uint64_t response = response_to(unit, true, top.reset, request);
        top.clk = 1;
        top.eval();
        if (response != top.response) {
            top.response = response;
            top.eval();
        }
        settle(top);
    }

  private:
    // Core and unit are evaluated in turn until neither changes the other any more, which is what
    // their logic would do in one netlist.
    template <typename Top> void settle(Top &top) {
        for (int turn = 0; turn < 100; turn++) {
            std::copy_n(&top.request[0], REQUEST_WORDS, request);
            uint64_t response = response_to(unit, top.clk, top.reset, request);
            if (response == top.response)
                return;
            top.response = response;
            top.eval();
        }
        trouble = "core and unit change each other without end in one cycle";
    }

    std::string &trouble;
    void *unit = nullptr;
    Request request = {};
    decltype(&unit_response) response_to = nullptr;
};
#else
class Port {
  public:
    Port(const char *, std::string &) {}

    template <typename Top> void tick(Top &top) {
        top.clk = 0;
        top.eval();
        top.clk = 1;
        top.eval();
    }
};
#endif
