// wrong
static class Program
{
    public static async Task Main()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(16).Run(); // RACE011
        pipeline.Publisher.Publish(1);
        Console.WriteLine(pipeline.Ring.Capacity);
    }
}

// right
static class Program
{
    public static async Task Main()
    {
        Pipeline<int> drained = Pipeline.Of<int>(16).Run();
        await drained.Ring.DrainAsync(TimeSpan.FromSeconds(1));

        Pipeline<int> halted = Pipeline.Of<int>(16).Run();
        await halted.Ring.HaltAsync();

        Pipeline<int> completed = Pipeline.Of<int>(16).Run();
        completed.Publisher.TryComplete();

        Pipeline<int> awaited = Pipeline.Of<int>(16).Run();
        await awaited.Ring.Completion;
    }
}
