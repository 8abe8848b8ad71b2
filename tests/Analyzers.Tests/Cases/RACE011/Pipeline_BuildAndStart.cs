// wrong
static class Program
{
    public static async Task Main()
    {
        var pipeline = Pipeline.Of<int>(16).Build(); // RACE011
        await pipeline.StartAsync();
        pipeline.Publisher.Publish(1);
    }
}

// fixed
static class Program
{
    public static async Task Main()
    {
        await using var pipeline = Pipeline.Of<int>(16).Build();
        await pipeline.StartAsync();
        pipeline.Publisher.Publish(1);
    }
}
