// SPDX-License-Identifier: MIT
// Materials of SPlisHSPlasH: what viscosities and tensions of other methods mean in ours.
#include "scene/foreign/splishsplash_parts.h"

#include "fluid/tension/cohesion.h"
#include "fluid/tension/tension.h"

#include <math.h>
#include <string.h>

enum { NO_VISCOSITY, STANDARD, XSPH, BENDER, PEER_2015, PEER_2016, TAKAHASHI, WEILER };
static const SplishMethod viscosities[] = {
    {"Standard viscosity", STANDARD},     {"Standard", STANDARD},          {"Bender and Koschier 2017", BENDER},
    {"Peer et al. 2015", PEER_2015},      {"Peer et al. 2016", PEER_2016}, {"Takahashi et al. 2015 (improved)", TAKAHASHI},
    {"Takahashi et al. 2015", TAKAHASHI}, {"Weiler et al. 2018", WEILER},  {NULL, 0}};
enum { NO_TENSION, BECKER, AKINCI, HE, ZORILLA, JESKE };
static const SplishMethod tensions[] = {
    {"Becker & Teschner 2007", BECKER},        {"Akinci et al. 2013", AKINCI}, {"He et al. 2014", HE},
    {"Zorilla, Ritter, et al. 2020", ZORILLA}, {"Jeske et al. 2023", JESKE},   {NULL, 0}};
// Old files say in Configuration what holds for every fluid.
const SplishObject* splish_home(const SplishObject* material, const SplishObject* configuration, const char* key)
{
    return material->json && splish_has(material, key) ? material : configuration;
}

// Which of several methods a material names. The numbers differ between versions, the namespaces' names do not: where the file has
// exactly one of them, it counts. Its parameters then stand in the material itself.
int splish_method(Splish* s, const SplishObject* material, const SplishObject* configuration, const char* key,
                  const SplishMethod* methods)
{
    const SplishObject* home = splish_home(material, configuration, key);
    bool said = splish_has(home, key);
    int number = (int)splish_number(s, home, key, 0), found = 0;
    const SplishMethod* named = NULL;
    for (const SplishMethod* m = methods; m->space; m++)
        if (material->json && json_is_object(json_object_get(material->json, m->space))) {
            named = !named || m->number == number ? m : named;
            found++;
        }
    if (named && (number > 0 || !said)) {
        if (said && found == 1 && named->number != number)
            splish_note(s, material, key, "%d, but there are parameters of \"%s\": that is taken", number, named->space);
        json_object_update_missing(material->json, json_object_get(material->json, named->space));
        number = found == 1 || named->number == number ? named->number : number;
    }
    for (const SplishMethod* m = methods; m->space && material->json; m++)
        if (m == named)
            splish_drop(material, m->space);
        else
            splish_ignore_one(s, material, OF_OTHER_METHODS, m->space);
    return number;
}

static void put_viscosity(json_t* fluid, const char* method, double value)
{
    splish_put(fluid, "viscosity_method", json_string(method));
    splish_put(fluid, "viscosity", json_real(value));
}

// The filter of velocities that new versions have beside a viscosity, in a namespace of its own or flat.
static double read_filter(Splish* s, const SplishObject* m, const SplishObject* c)
{
    json_t* space = m->json ? json_object_get(m->json, "XSPH") : NULL;
    if (json_is_object(space)) {
        json_object_update_missing(m->json, space);
        splish_drop(m, "XSPH");
    }
    if (splish_number(s, splish_home(m, c, "xsphBoundary"), "xsphBoundary", 0) > 0)
        splish_note(s, m->json ? m : c, "xsphBoundary", "the filter acts between particles of fluid alone");
    return splish_number(s, splish_home(m, c, "xsph"), "xsph", 0);
}

// A coefficient that says which share of all shear goes in a step: what diffuses it as fast from particle to particle [Pa s].
static double read_share(Splish* s, const SplishObject* home, double share, double said, double density)
{
    share = fmin(fmax(share, 0), 0.99);
    json_t* solver = splish_section(s->scene, "solver");
    json_t* step = json_object_get(solver, "time_step");
    double dt = json_number_value(step ? step : json_object_get(solver, "max_time_step")), spacing = 2 * s->radius;
    double viscosity = fmin(density * spacing * spacing / (dt > 0 ? dt : 0.001) * share / (1 - share), 1e6);
    splish_note(s, home, "viscosity", "%g is a share of the shear in a step, without unit; here %.3g Pa s, which take as much",
                said, viscosity);
    return viscosity;
}

// Weiler's coefficient is a kinematic viscosity [m2/s]. In its first versions it was in Pa s: files with thousands mean these, as
// nothing that is poured has so many m2/s.
static double read_weiler(Splish* s, const SplishObject* home, double nu, double density)
{
    const double most = 100; // [m2/s]
    if (nu <= most)
        return nu * density;
    splish_note(s, home, "viscosity", "%g is taken in Pa s, as old files mean it, not in m2/s", nu);
    return fmin(nu, 1e6);
}

static void read_viscosity(Splish* s, const SplishObject* m, const SplishObject* c, json_t* fluid, double density)
{
    bool said = splish_has(splish_home(m, c, "viscosityMethod"), "viscosityMethod");
    int method = splish_method(s, m, c, "viscosityMethod", viscosities);
    const SplishObject* home = splish_home(m, c, "viscosity");
    double filter = read_filter(s, m, c);
    double nu = splish_number(s, home, "viscosity", 0.01),
           at_walls = splish_number(s, splish_home(m, c, "viscosityBoundary"), "viscosityBoundary", 0);
    if (!said && method == NO_VISCOSITY)
        method = STANDARD;
    if (filter > 0 && (method == NO_VISCOSITY || nu == 0)) {
        nu = filter;
        method = XSPH;
    } else if (filter > 0) {
        splish_note(s, m->json ? m : c, "xsph", "%g is left out beside another viscosity: a fluid has one here", filter);
    }
    switch (method) {
    case NO_VISCOSITY:
        put_viscosity(fluid, "laplace", 0);
        break;
    case STANDARD:
    case WEILER:
        // their coefficient is a kinematic viscosity
        if (method == WEILER)
            put_viscosity(fluid, "implicit", read_weiler(s, home, nu, density));
        else
            put_viscosity(fluid, "laplace", nu * density);
        s->explicit_viscosity = fmax(s->explicit_viscosity, method == STANDARD ? nu : 0);
        if (s->wall_viscosity >= 0 && nu > 0 && at_walls / nu != s->wall_viscosity)
            splish_note(s, home, "viscosityBoundary", "%g: fluids drag at walls alike here, as the one with the largest share",
                        at_walls);
        s->wall_viscosity = fmax(s->wall_viscosity, nu > 0 ? fmin(at_walls / nu, 1000) : 0); // the most that solids take
        break;
    case XSPH:
        put_viscosity(fluid, "xsph", fmin(fmax(nu, 0), 1));
        break;
    case TAKAHASHI:
        put_viscosity(fluid, "implicit", fmax(nu, 0));
        splish_note(s, home, "viscosity", "read as Takahashi's coefficient in Pa s");
        s->wall_viscosity = fmax(s->wall_viscosity, 1);
        break;
    default:
        put_viscosity(fluid, "implicit", read_share(s, home, method == BENDER ? nu : 1 - nu, nu, density));
        s->wall_viscosity = fmax(s->wall_viscosity, 1);
    }
}

// There a_i = -k sum_j m_j / m_i W(|x_ij|) x_ij; here the same with a strength that a flat surface makes comparable (becker.c).
static double becker_gamma(const Splish* s, double k)
{
    const char* name = json_string_value(json_object_get(s->scene, "kernel"));
    mn_Kernel type = MN_KERNEL_CUBIC;
    static const char* const names[] = {"wendland", "poly6", "spiky"};
    static const mn_Kernel types[] = {MN_KERNEL_WENDLAND, MN_KERNEL_POLY6, MN_KERNEL_SPIKY};
    for (int n = 0; n < 3 && name; n++)
        type = strcmp(name, names[n]) ? type : types[n];
    int dimension = s->flat ? 2 : 3;
    double h = 4 * s->radius, share = pow(0.5, dimension); // (2 r / h)^d
    Kernel kernel = kernel_create(type, dimension, h);
    return k * (double)kernel.norm * h / (TENSION_DENSITY * share * cohesion_scale(cohesion8_becker, type, dimension));
}

// Flat files of versions without Zorilla's method give its number to the next one, whose parameters they then have.
static int numbered_tension(Splish* s, const SplishObject* m, const SplishObject* c)
{
    bool of_jeske = m->json && splish_has(m, "surfaceTensionViscosity");
    int method = splish_method(s, m, c, "surfaceTensionMethod", tensions);
    if (method != ZORILLA || !of_jeske)
        return method;
    splish_note(s, m, "surfaceTensionMethod", "4, but there are parameters of \"Jeske et al. 2023\": that is taken");
    return JESKE;
}

static void read_tension(Splish* s, const SplishObject* m, const SplishObject* c, json_t* fluid, double density)
{
    int method = numbered_tension(s, m, c);
    double gamma = splish_number(s, splish_home(m, c, "surfaceTension"), "surfaceTension", 0.05);
    double beta = splish_number(s, splish_home(m, c, "surfaceTensionBoundary"), "surfaceTensionBoundary", 0.01);
    if (method == NO_TENSION) {
        splish_put(fluid, "surface_tension", json_real(0)); // fluids with emitters would have some here
        return;
    }
    json_t* tension = splish_section(fluid, "surface_tension");
    splish_put(tension, "method", json_string("akinci"));
    if (method == AKINCI) {
        splish_put(tension, "gamma", json_real(fmax(gamma, 0)));
        s->wall_adhesion = fmax(s->wall_adhesion, beta);
        return;
    }
    if (method == BECKER) {
        splish_put(tension, "method", json_string("becker"));
        splish_put(tension, "gamma", json_real(fmax(becker_gamma(s, gamma), 0)));
        return;
    }
    if (method == JESKE) {
        // a_i = -(10/7) k / rho0 sum_j W x_ij, implicit there, with another k between fluid and solids
        double ours = becker_gamma(s, gamma * 10 / 7 / density);
        splish_put(tension, "method", json_string("becker"));
        splish_put(tension, "gamma", json_real(fmax(ours, 0)));
        s->wall_adhesion = fmax(s->wall_adhesion, gamma > 0 ? ours * beta / gamma : 0);
        splish_note(s, m->json ? m : c, "surfaceTension", "%g pulls as in Becker & Teschner 2007 with gamma %.4g", gamma, ours);
        return;
    }
    if (method == ZORILLA && !s->flat && gamma > 0) {
        // each particle of the surface feels k times its curvature, and has 4 r^2 of it
        double sigma = gamma / (4 * s->radius * s->radius);
        splish_put(tension, "sigma", json_real(sigma));
        splish_note(s, m->json ? m : c, "surfaceTension", "%g for each particle of the surface is %.4g N/m here", gamma, sigma);
        return;
    }
    splish_put(tension, "gamma", json_real(1));
    const char* name = "a method that is not known";
    for (const SplishMethod* t = tensions; t->space; t++)
        name = t->number == method ? t->space : name;
    splish_note(s, m->json ? m : c, "surfaceTensionMethod", "%d (%s) has no counterpart; akinci with gamma 1 instead of %g", method,
                name, gamma);
}

static void read_emitter_limits(Splish* s, const SplishObject* m, const SplishObject* c, json_t* fluid)
{
    bool limited = splish_has(splish_home(m, c, "maxEmitterParticles"), "maxEmitterParticles");
    double most = splish_number(s, splish_home(m, c, "maxEmitterParticles"), "maxEmitterParticles", 10000);
    bool reuse = splish_bool(s, splish_home(m, c, "emitterReuseParticles"), "emitterReuseParticles", false);
    size_t count = json_array_size(json_object_get(fluid, "emitters"));
    static const char* const box[] = {"emitterBoxMin", "emitterBoxMax", NULL};
    if (!reuse || !count)
        splish_ignore(s, m->json ? m : c, "of emitters that do not take particles back", box);
    Vec3d low = splish_vector(s, splish_home(m, c, "emitterBoxMin"), "emitterBoxMin", vec3d(-1, -1, -1));
    Vec3d high = splish_vector(s, splish_home(m, c, "emitterBoxMax"), "emitterBoxMax", vec3d(1, 1, 1));
    if (!count)
        return;
    if (!reuse) {
        double share = floor(most / (double)count);
        for (size_t k = 0; k < count; k++)
            splish_put(json_array_get(json_object_get(fluid, "emitters"), k), "limit", json_integer((json_int_t)fmin(share, 2e9)));
        return;
    }
    if (limited)
        splish_note(s, m->json ? m : c, "maxEmitterParticles",
                    "%g at a time there; here the emitters go on, and drains take what leaves the box", most);
    // particles that leave the box go back to the emitters: six drains around it
    const double far = 1e6;
    for (int axis = 0; axis < (s->flat ? 2 : 3); axis++)
        for (int side = 0; side < 2; side++) {
            double a[3] = {-far, -far, -far}, b[3] = {far, far, far};
            const double lo[3] = {low.x, low.y, low.z}, hi[3] = {high.x, high.y, high.z};
            *(side ? &a[axis] : &b[axis]) = side ? hi[axis] : lo[axis];
            json_t* drain = json_object();
            splish_put(drain, "min", splish_point(s, vec3d(a[0], a[1], a[2])));
            splish_put(drain, "max", splish_point(s, vec3d(b[0], b[1], b[2])));
            splish_append(s->scene, "drains", drain);
        }
}

static const char* const material_ignored[] = {"colorField", "colorMapType", "renderMinValue", "renderMaxValue", "visible", NULL};
// Parameters of methods that are not chosen, or of solvers that have others here.
static const char* const method_parameters[] = {"viscoMaxIter",
                                                "viscoMaxError",
                                                "viscoMaxIterOmega",
                                                "viscoMaxErrorOmega",
                                                "surfaceTensionMaxIter",
                                                "surfaceTensionMaxError",
                                                "surfaceTensionMode",
                                                "surfaceTensionViscosity",
                                                "surfaceTensionViscosityBoundary",
                                                "vorticity",
                                                "viscosityOmega",
                                                "inertiaInverse",
                                                "drag",
                                                "surfaceTensionXSPH",
                                                NULL};

static void note_left_out_forces(Splish* s, const SplishObject* m)
{
    static const char* const keys[] = {"vorticityMethod", "dragMethod"};
    for (size_t k = 0; k < 2; k++) {
        const char* key = keys[k];
        int method = (int)splish_number(s, m, key, 0);
        if (method > 0)
            splish_note(s, m, key, "%d has no counterpart; left out", method);
    }
    splish_drop(m, "id");
}

// Parameters of Zorilla's method have names that start alike.
static void ignore_zorilla(Splish* s, const SplishObject* m)
{
    const char* key;
    void* next;
    json_t* value;
    json_object_foreach_safe(m->json, next, key, value)
    {
        if (!strncmp(key, "surfTZR", 7))
            splish_ignore_one(s, m, OF_OTHER_METHODS, key);
    }
}

void splish_material(Splish* s, const SplishObject* m, const json_t* configuration, json_t* fluid)
{
    const SplishObject c = {.json = json_deep_copy(configuration), .name = "Configuration"};
    double density = splish_number(s, splish_home(m, &c, "density0"), "density0", 1000);
    splish_put(fluid, "density", json_real(density));
    read_viscosity(s, m, &c, fluid, density);
    read_tension(s, m, &c, fluid, density);
    read_emitter_limits(s, m, &c, fluid);
    const char* key;
    json_t* value;
    json_object_foreach((json_t*)configuration, key, value)
    {
        if (!splish_has(&c, key)) // was read
            json_object_del(s->configuration, key);
    }
    json_decref(c.json);
}

// Friction at walls is as explicit as the viscosity that it is a share of. More than a step takes would only shorten all steps:
// with that much, what touches a wall sticks to it.
static void limit_wall_viscosity(Splish* s, const SplishObject* configuration)
{
    json_t* solver = splish_section(s->scene, "solver");
    double h = 4 * s->radius, step = json_number_value(json_object_get(solver, "time_step"));
    if (step <= 0)
        step = 0.1 * json_number_value(json_object_get(solver, "max_time_step"));
    if (step <= 0 || s->explicit_viscosity <= 0)
        return;
    double most = fmax(0.016 * h * h / (step * s->explicit_viscosity), 1);
    if (s->wall_viscosity <= most)
        return;
    splish_note(s, configuration, "viscosityBoundary",
                "%.3g times the viscosity; here %.3g times, by which steps of %.2g s make it stick", s->wall_viscosity, most, step);
    s->wall_viscosity = most;
}

// Read for each fluid; what is left of them belongs to none.
static const char* const of_fluids[] = {"density0",
                                        "viscosity",
                                        "viscosityMethod",
                                        "viscosityBoundary",
                                        "surfaceTension",
                                        "surfaceTensionMethod",
                                        "surfaceTensionBoundary",
                                        "maxEmitterParticles",
                                        "emitterReuseParticles",
                                        "emitterBoxMin",
                                        "emitterBoxMax",
                                        "colorMapType",
                                        NULL};

static void ignore_fluid_parameters(Splish* s, const SplishObject* m)
{
    static const char* const why = "of fluids that are not there";
    splish_ignore(s, m, why, of_fluids);
    for (const SplishMethod* v = viscosities; v->space; v++)
        splish_ignore_one(s, m, why, v->space);
    for (const SplishMethod* v = tensions; v->space; v++)
        splish_ignore_one(s, m, why, v->space);
    splish_ignore_one(s, m, why, "XSPH");
}

void splish_materials_done(Splish* s)
{
    for (size_t k = 0; k < splish_list(s, "Materials"); k++) {
        SplishObject m = splish_item(s, "Materials", k);
        if (!m.json)
            continue;
        splish_elastic_done(s, &m);
        ignore_fluid_parameters(s, &m);
        note_left_out_forces(s, &m);
        ignore_zorilla(s, &m);
        splish_ignore(s, &m, OF_ITS_WINDOW, material_ignored);
        splish_ignore(s, &m, OF_OTHER_METHODS, method_parameters);
    }
    const SplishObject c = {.json = s->configuration, .name = "Configuration"};
    limit_wall_viscosity(s, &c);
    splish_elastic_done(s, &c);
    ignore_fluid_parameters(s, &c);
    splish_ignore(s, &c, OF_OTHER_METHODS, method_parameters);
}
