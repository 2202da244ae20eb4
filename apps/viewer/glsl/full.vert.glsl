void main()
{
    gl_Position = fullPlace(gl_VertexID);
}
