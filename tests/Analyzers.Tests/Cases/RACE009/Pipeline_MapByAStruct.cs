// wrong
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Map("double", new Doubled()) // RACE009
    .Stage("print", static (ref long item) => Console.WriteLine(item))
    .Run();

struct Doubled : IMapHandler<int, long>
{
    public void OnBatch(Batch<int> source, Batch<long> results)
    {
        for (int i = 0; i < source.Count; i++) results[i] = 2L * source[i];
    }
}

// right
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Map("double", new Doubled())
    .Stage("print", static (ref long item) => Console.WriteLine(item))
    .Run();

sealed class Doubled : IMapHandler<int, long>
{
    public void OnBatch(Batch<int> source, Batch<long> results)
    {
        for (int i = 0; i < source.Count; i++) results[i] = 2L * source[i];
    }
}
