// wrong
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Stage("save", static (ref int item) => File.AppendAllTextAsync("items", $"{item}")) // RACE007
    .Run();

// right
await using Pipeline<int> pipeline = Pipeline.Of<int>(16)
    .Stage("save", new Save())
    .Run();

sealed class Save : IAsyncBatchHandler<int>
{
    public async ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation) =>
        await File.AppendAllLinesAsync("items", batch.ToArray().Select(static item => $"{item}"), cancellation);
}
