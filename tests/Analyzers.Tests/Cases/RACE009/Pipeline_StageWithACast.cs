// wrong
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Stage("sum", (IBatchHandler<int>)new Sum()) // RACE009
    .Run();

struct Sum : IBatchHandler<int>
{
    public long Total;

    public void OnBatch(Batch<int> batch)
    {
        foreach (ref int item in batch) Total += item;
    }
}

// fixed
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Stage("sum", StageKind<int>.Batches(new Sum()))
    .Run();

struct Sum : IBatchHandler<int>
{
    public long Total;

    public void OnBatch(Batch<int> batch)
    {
        foreach (ref int item in batch) Total += item;
    }
}
