// wrong
static class Program
{
    public static void Start()
    {
        var pipeline = Pipeline.Of<int>(16).Run(); // RACE011
        Console.WriteLine(pipeline.Backlog);
    }
}

// right
sealed class Program
{
    private Pipeline<int>? _kept;

    public SingleProducer<int> Start()
    {
        var pipeline = Pipeline.Of<int>(16).Run();
        Console.WriteLine(pipeline.Backlog);
        return pipeline.CreateProducer();
    }

    public void Keep()
    {
        var pipeline = Pipeline.Of<int>(16).Run();
        _kept = pipeline;
    }

    public async Task<int> Drain()
    {
        var pipeline = Pipeline.Of<int>(16).Run();
        await pipeline.DrainAsync(TimeSpan.FromSeconds(1));
        return _kept?.Stages.Count ?? 0;
    }
}
