// wrong
static class Program
{
    public static void Start(string path)
    {
        Pipeline.Of<string>(16).Stage("write", (ref string line) => File.AppendAllText(path, line)).Run(); // RACE011
    }
}

// right
static class Program
{
    public static Pipeline<string> Start(string path)
    {
        return Pipeline.Of<string>(16).Stage("write", (ref string line) => File.AppendAllText(path, line)).Run();
    }
}
