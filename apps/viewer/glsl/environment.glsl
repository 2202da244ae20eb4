// What light comes from where; see render/environment.c.
uniform int uSky; // 0 studio, 1 day, 2 gradient, 3 map
uniform vec3 uEnvUp, uWall, uZenith, uHorizon, uBelow, uLampSide;
uniform float uStrength, uTurnMap, uMapLimit;
uniform sampler2D uMapSky;
uniform int uSuns;
uniform vec3 uSunTo[8], uSunLight[8];
uniform float uSunCosine[8];
uniform bool uSunInMap;
uniform mat3 uToWorld;

float softBox(vec3 d, vec3 centre, vec2 halves)
{
    vec3 side = normalize(cross(uEnvUp, centre)), top = cross(centre, side);
    float depth = dot(d, centre);
    if (depth <= 0.05)
        return 0.0;
    vec2 at = abs(vec2(dot(d, side), dot(d, top)) / depth) / halves;
    return (1.0 - smoothstep(0.85, 1.0, at.x)) * (1.0 - smoothstep(0.8, 1.0, at.y));
}

vec3 studioLamps(vec3 d)
{
    if (dot(d, uEnvUp) < 0.0)
        return vec3(0);
    vec3 across = cross(uEnvUp, uLampSide), key = normalize(uEnvUp - 0.9 * uLampSide);
    vec3 rim = normalize(0.35 * uEnvUp + 0.9 * across + 0.3 * uLampSide);
    float light = 3.0 * softBox(d, key, vec2(0.75, 0.4)) + 2.2 * softBox(d, rim, vec2(0.25, 0.5));
    return vec3(1.0, 0.98, 0.95) * light;
}

vec3 day(vec3 d)
{
    float height = dot(d, uEnvUp);
    vec3 zenith = vec3(0.16, 0.33, 0.70), horizon = vec3(0.86, 0.93, 1.0);
    if (height < 0.0)
        return 0.9 * horizon;
    vec3 sky = mix(horizon, zenith, pow(height, 0.45));
    if (uSuns == 0)
        return sky;
    float near = max(dot(d, uSunTo[0]), 0.0);
    return sky + (0.35 * pow(near, 8.0) + 0.8 * pow(near, 96.0)) * vec3(1.0, 0.92, 0.8);
}

vec3 mapLight(vec3 d)
{
    vec3 a = normalize(abs(uEnvUp.x) > 0.7 ? cross(uEnvUp, vec3(0, 1, 0)) : cross(vec3(1, 0, 0), uEnvUp)), b = cross(uEnvUp, a);
    float u = (atan(dot(d, b), dot(d, a)) + uTurnMap) / 6.2831853, v = acos(clamp(dot(d, uEnvUp), -1.0, 1.0)) / 3.14159265;
    return textureLod(uMapSky, vec2(u, v), 0.0).rgb;
}

vec3 plainLight(vec3 d)
{
    float height = dot(d, uEnvUp);
    if (uSky == 1)
        return day(d);
    if (uSky == 2)
        return height > 0.0 ? mix(uHorizon, uZenith, pow(height, 0.6)) : mix(uHorizon, uBelow, pow(-height, 0.6));
    if (uSky == 3)
        return mapLight(d);
    return uWall * (1.0 + 0.9 * smoothstep(0.05, 0.95, height));
}

// The sky without lamps and suns, and all that a mirror shows; directions in view space.
vec3 skyLight(vec3 direction)
{
    vec3 light = plainLight(uToWorld * direction);
    float largest = max(light.r, max(light.g, light.b));
    if (uSky == 3 && largest > uMapLimit)
        light *= uMapLimit / largest;
    return light * uStrength;
}

vec3 skyMirrored(vec3 direction)
{
    vec3 d = uToWorld * direction, light = plainLight(d);
    if (uSky == 0)
        light += studioLamps(d);
    light *= uStrength;
    for (int k = 0; k < uSuns && !uSunInMap; k++)
        if (dot(d, uSunTo[k]) >= uSunCosine[k])
            light += uSunLight[k] / (6.2831853 * (1.0 - uSunCosine[k]) * uSunCosine[k]);
    return light;
}
