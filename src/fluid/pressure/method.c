// SPDX-License-Identifier: MIT
#include "fluid/pressure/method.h"

const PressureMethod* pressure_find(mn_Pressure type)
{
    static const PressureMethod* const methods[] = {&pressure_sesph, &pressure_pcisph, &pressure_iisph, &pressure_dfsph};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        if (methods[k]->type == type)
            return methods[k];
    return NULL;
}

const PressureMethod* pressure_method(mn_Pressure type)
{
    const PressureMethod* method = pressure_find(type);
    return method ? method : &pressure_dfsph;
}

// What the last solve of the world that was there before foresaw says nothing about the one that was loaded.
static bool forget_foreseen(void* owner)
{
    ((Sph*)owner)->control.foreseen = -1;
    return true;
}

bool pressure_register(Sph* sph, Register* reg)
{
    const StateArray arrays[] = {
        {.name = "pressure.kappa", .type = STATE_FLOAT, .size = sizeof(float), .data = &sph->control.kappa},
        {.name = "pressure.unseen", .type = STATE_DOUBLE, .size = sizeof(double), .data = &sph->control.unseen},
        {.name = "pressure.deep", .type = STATE_UINT8, .size = sizeof(bool), .data = &sph->control.deep},
        {.name = "pressure.check_prediction", .type = STATE_UINT8, .size = sizeof(bool), .data = &sph->control.check_prediction},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        StateArray array = arrays[k];
        array.per = PER_WORLD;
        array.is_value = array.in_try = true;
        if (!register_array(reg, &array))
            return false;
    }
    return register_loaded(reg, forget_foreseen, sph);
}
