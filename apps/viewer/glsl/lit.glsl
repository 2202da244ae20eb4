// A surface in the light that reaches it; see render/shade.c.
uniform vec3 uUp, uToKey;

vec3 lit(vec3 albedo, vec3 p, vec3 n, vec2 reach, float gloss)
{
    vec3 toEye = -rayOf(p);
    float key = max(dot(n, uToKey), 0.0) * reach.y, facing = max(dot(n, toEye), 0.0);
    vec3 sky = mix(vec3(0.62, 0.61, 0.60), vec3(0.88, 0.94, 1.00), 0.5 + 0.5 * dot(n, uUp));
    vec3 keyColour = vec3(1.00, 0.97, 0.92);
    vec3 light = sky * (0.50 * reach.x) + 0.62 * key * keyColour + vec3(0.10 * facing * (0.4 + 0.6 * reach.x));
    float shine = pow(max(dot(n, normalize(toEye + uToKey)), 0.0), 16.0);
    return albedo * light + gloss * shine * reach.y * keyColour;
}
