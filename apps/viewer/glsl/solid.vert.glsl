in vec3 in_0; // [m] in the frame of the solid
in vec3 in_1; // normal
in vec3 in_2; // normal of the face
uniform mat3 uTurn; // of the solid to view
uniform vec3 uMove;
out vec3 vPoint;
out vec3 vNormal;
out vec3 vFace;
out vec3 vOwn;

void main()
{
    vPoint = uTurn * in_0 + uMove;
    vNormal = uTurn * in_1;
    vFace = uTurn * in_2;
    vOwn = in_0;
    gl_Position = clipPlace(vPoint);
}
