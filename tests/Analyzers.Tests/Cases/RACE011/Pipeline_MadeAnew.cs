// wrong
static class Program
{
    public static async Task Main()
    {
        var pipeline = Pipeline.Of<int>(16).Build(); // RACE011
        await pipeline.StartAsync();
        pipeline = null;
    }
}

// right, without a fix
static class Program
{
    public static async Task Main()
    {
        Pipeline<int>? pipeline = Pipeline.Of<int>(16).Build();
        await pipeline.StartAsync();
        await pipeline.DisposeAsync();
        pipeline = null;
    }
}
