// SPDX-License-Identifier: MIT
// Values of probes at times of their own, and means over time. Steps do not end at those times: between the ends of two steps a
// value is linear, but a force is that of the whole step, so that impulses are exact. With I(t) the integral of a value since the
// start, a mean is
//   (I(t) - I(s)) / (t - s),  s the last mark before t - average,
// with marks at the times of values, or a thirty-second of the average apart.
#include "world/world_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MARKS_OF_FRAMES = 32 };

bool probe_series_init(ProbeSeries* s, const mn_ProbeDef* def, double time)
{
    *s = (ProbeSeries){.every = def->every, .average = def->average};
    s->runs = def->type == MN_PROBE_IMPULSE || def->every != MN_AUTO || def->average > 0;
    s->spacing =
        def->every != MN_AUTO ? fmin(def->every, def->average > 0 ? def->average : def->every) : def->average / MARKS_OF_FRAMES;
    s->next = def->every != MN_AUTO ? (uint64_t)ceil(time / def->every - 1e-9) : 0;
    if (!(def->average > 0))
        return true;
    s->next_mark = (uint64_t)ceil(time / s->spacing - 1e-9);
    s->mark_most = (size_t)ceil(def->average / s->spacing - 1e-9) + 2;
    s->mark = calloc(s->mark_most, sizeof *s->mark);
    return s->mark;
}

void probe_series_free(ProbeSeries* s)
{
    free(s->mark);
    free(s->sample);
    *s = (ProbeSeries){0};
}

static void to_numbers(ProbeValue v, double out[PROBE_NUMBERS])
{
    const double all[PROBE_NUMBERS] = {v.value, v.vector.x, v.vector.y, v.vector.z};
    memcpy(out, all, sizeof all);
}

static bool is_force(const Probe* probe)
{
    return probe->type == MN_PROBE_FORCE || probe->type == MN_PROBE_IMPULSE || probe->type == MN_PROBE_TORQUE;
}

// What has a direction is the length of its mean, not the mean of its lengths.
static ProbeValue from_numbers(const Probe* probe, const double in[PROBE_NUMBERS])
{
    Vec3d vector = vec3d(in[1], in[2], in[3]);
    bool directed = is_force(probe) || probe->type == MN_PROBE_VELOCITY || probe->type == MN_PROBE_DISPLACEMENT;
    return (ProbeValue){directed ? vec3d_length(vector) : in[0], vector};
}

// The mean up to `time`, at which the integral is `now`.
static ProbeValue mean_until(const Probe* probe, double time, const double now[PROBE_NUMBERS], const double moment[PROBE_NUMBERS])
{
    const ProbeSeries* s = &probe->series;
    const ProbeSample* from = NULL;
    for (size_t k = 0; k < s->marks; k++)
        if (s->mark[k].time <= time - s->average * (1 - 1e-9) || !from)
            from = &s->mark[k];
    if (!from || !(time > from->time))
        return from_numbers(probe, moment);
    double mean[PROBE_NUMBERS];
    for (int k = 0; k < PROBE_NUMBERS; k++)
        mean[k] = (now[k] - from->number[k]) / (time - from->time);
    return from_numbers(probe, mean);
}

static ProbeValue value_at(const Probe* probe, double time, const double integral[PROBE_NUMBERS],
                           const double moment[PROBE_NUMBERS])
{
    if (probe->type == MN_PROBE_IMPULSE)
        return from_numbers(probe, integral);
    return probe->series.average > 0 ? mean_until(probe, time, integral, moment) : from_numbers(probe, moment);
}

ProbeValue world_probe_shown(const mn_World* world, const Probe* probe)
{
    if (!probe->series.runs)
        return world_probe_now(world, probe);
    return value_at(probe, world->state.time, probe->series.integral, probe->series.last);
}

static void add_mark(ProbeSeries* s, double time, const double integral[PROBE_NUMBERS])
{
    if (s->marks == s->mark_most)
        memmove(s->mark, s->mark + 1, --s->marks * sizeof *s->mark);
    s->mark[s->marks].time = time;
    memcpy(s->mark[s->marks++].number, integral, sizeof s->mark->number);
}

static bool add_sample(Probe* probe, double time, const double integral[PROBE_NUMBERS], const double moment[PROBE_NUMBERS])
{
    ProbeSeries* s = &probe->series;
    if (s->samples == s->sample_capacity) {
        size_t capacity = 2 * s->sample_capacity + 64;
        ProbeSample* grown = realloc(s->sample, capacity * sizeof *grown);
        if (!grown)
            return false;
        s->sample = grown;
        s->sample_capacity = capacity;
    }
    ProbeSample* sample = &s->sample[s->samples++];
    sample->time = time;
    to_numbers(value_at(probe, time, integral, moment), sample->number);
    return true;
}

// Values and marks in the step from `before` to `now`; a slack of rounding lets those of the step's end belong to it.
static bool sample_step(Probe* probe, double before, double now, const double value[PROBE_NUMBERS])
{
    ProbeSeries* s = &probe->series;
    double slack = 1e-9 * (now - before);
    for (;;) {
        double mark = s->mark ? (double)s->next_mark * s->spacing : (double)INFINITY;
        double at = s->every != MN_AUTO ? (double)s->next * s->every : (double)INFINITY, time = fmin(mark, at);
        if (time > now + slack)
            return true;
        double share = now > before ? fmin(fmax((time - before) / (now - before), 0), 1) : 1;
        double integral[PROBE_NUMBERS], moment[PROBE_NUMBERS];
        for (int k = 0; k < PROBE_NUMBERS; k++) {
            integral[k] = s->integral[k] + share * (now - before) * value[k];
            moment[k] = is_force(probe) ? value[k] : s->last[k] + share * (value[k] - s->last[k]);
        }
        if (at <= mark) {
            s->next++;
            if (!add_sample(probe, time, integral, moment))
                return false;
        }
        if (mark <= at) {
            add_mark(s, time, integral);
            s->next_mark++;
        }
    }
}

bool world_sample_probes(mn_World* world, double dt)
{
    bool shown = false;
    for (size_t k = 0; k < world->probes.count; k++) {
        Probe* probe = &world->probes.probe[k];
        ProbeSeries* s = &probe->series;
        if (!s->runs)
            continue;
        if (probe->type == MN_PROBE_PRESSURE && !shown) {
            world->fluid->show(world); // pressures are not kept by steps
            shown = true;
        }
        double value[PROBE_NUMBERS], now = world->state.time;
        to_numbers(world_probe_now(world, probe), value);
        if (world->state.steps <= 1) // there was no moment before
            memcpy(s->last, value, sizeof value);
        if (!sample_step(probe, now - dt, now, value))
            return false;
        for (int n = 0; n < PROBE_NUMBERS; n++)
            s->integral[n] += dt * value[n];
        memcpy(s->last, value, sizeof value);
    }
    return true;
}

// --- parts of solids

bool world_watch_parts(mn_World* world)
{
    for (size_t k = 0; k < world->probes.count; k++) {
        Probe* probe = &world->probes.probe[k];
        if (!probe->is_part)
            continue;
        probe->part.pose = world->solids.solid[probe->solid].pose;
        if (!world->coupling.method->part_force(world->coupling.data, &probe->part))
            return false;
    }
    return true;
}

// --- what others take

mn_ProbeSamples mn_world_probe_samples(const mn_World* world, mn_ProbeId id)
{
    if (id == 0 || id > world->probes.count)
        return (mn_ProbeSamples){0};
    const ProbeSeries* s = &world->probes.probe[id - 1].series;
    return (mn_ProbeSamples){.count = s->samples, .sample = s->samples ? &s->sample->time : NULL};
}

void mn_world_take_probe_samples(mn_World* world)
{
    for (size_t k = 0; k < world->probes.count; k++)
        world->probes.probe[k].series.samples = 0;
}

// --- state

// Of each probe that runs: numbers, then marks, then samples.
typedef struct SeriesHead {
    double integral[PROBE_NUMBERS], last[PROBE_NUMBERS];
    uint64_t next, next_mark, marks, samples;
    double part[3];
} SeriesHead;

// Probes that only look at the moment are no state.
static uint64_t count_saved(const mn_World* world)
{
    uint64_t count = 0;
    for (size_t k = 0; k < world->probes.count; k++)
        count += world->probes.probe[k].series.runs || world->probes.probe[k].is_part;
    return count;
}

static size_t series_bytes(const void* owner)
{
    const mn_World* world = owner;
    size_t bytes = sizeof(uint64_t);
    for (size_t k = 0; k < world->probes.count; k++) {
        const ProbeSeries* s = &world->probes.probe[k].series;
        bytes += s->runs || world->probes.probe[k].is_part ? sizeof(SeriesHead) + (s->marks + s->samples) * sizeof(ProbeSample) : 0;
    }
    return bytes;
}

static void series_save(const void* owner, void* out)
{
    const mn_World* world = owner;
    char* to = out;
    uint64_t count = count_saved(world);
    memcpy(to, &count, sizeof count);
    to += sizeof count;
    for (size_t k = 0; k < world->probes.count; k++) {
        const Probe* p = &world->probes.probe[k];
        const ProbeSeries* s = &p->series;
        if (!s->runs && !p->is_part)
            continue;
        SeriesHead head = {.next = s->next, .next_mark = s->next_mark, .marks = s->marks, .samples = s->samples};
        memcpy(head.integral, s->integral, sizeof head.integral);
        memcpy(head.last, s->last, sizeof head.last);
        memcpy(head.part, &p->part.force, sizeof head.part);
        memcpy(to, &head, sizeof head);
        to += sizeof head;
        if (s->marks)
            memcpy(to, s->mark, s->marks * sizeof *s->mark);
        to += s->marks * sizeof *s->mark;
        if (s->samples)
            memcpy(to, s->sample, s->samples * sizeof *s->sample);
        to += s->samples * sizeof *s->sample;
    }
}

static bool load_one(Probe* p, const char** from, const char* end)
{
    ProbeSeries* s = &p->series;
    SeriesHead head;
    if ((size_t)(end - *from) < sizeof head)
        return false;
    memcpy(&head, *from, sizeof head);
    *from += sizeof head;
    size_t left = (size_t)(end - *from) / sizeof(ProbeSample);
    if (head.marks > s->mark_most || head.marks > left || head.samples > left - head.marks)
        return false;
    ProbeSample* sample = malloc((head.samples + 1) * sizeof *sample);
    if (!sample)
        return false;
    free(s->sample);
    s->sample = sample;
    s->sample_capacity = head.samples + 1;
    s->samples = head.samples;
    s->marks = head.marks;
    s->next = head.next;
    s->next_mark = head.next_mark;
    memcpy(s->integral, head.integral, sizeof head.integral);
    memcpy(s->last, head.last, sizeof head.last);
    memcpy(&p->part.force, head.part, sizeof head.part);
    if (s->marks)
        memcpy(s->mark, *from, s->marks * sizeof *s->mark);
    *from += s->marks * sizeof *s->mark;
    memcpy(s->sample, *from, s->samples * sizeof *s->sample);
    *from += s->samples * sizeof *s->sample;
    return true;
}

static bool series_load(void* owner, const void* in, size_t bytes)
{
    mn_World* world = owner;
    uint64_t count;
    const char *from = in, *end = from + bytes;
    if (bytes < sizeof count)
        return false;
    memcpy(&count, from, sizeof count);
    from += sizeof count;
    if (count != count_saved(world))
        return false;
    for (size_t k = 0; k < world->probes.count; k++) {
        Probe* p = &world->probes.probe[k];
        if ((p->series.runs || p->is_part) && !load_one(p, &from, end))
            return false;
    }
    return from == end;
}

bool world_register_probes(mn_World* world)
{
    const StateGrowing series = {"probes", PER_OTHER, world, series_bytes, series_save, series_load};
    return register_growing(world->reg, &series);
}
