// wrong
await using var ring = new RingBuffer<int>(16);
Stage sum = ring.Subscribe((IBatchHandler<int>)new Sum(), Dispatch.Batch(max: 8)); // RACE009
await ring.StartAsync();

struct Sum : IBatchHandler<int>
{
    public long Total;

    public void OnBatch(Batch<int> batch)
    {
        foreach (ref int item in batch) Total += item;
    }
}

// fixed
await using var ring = new RingBuffer<int>(16);
Stage sum = ring.Slots.SubscribeBatches(new Sum(), Dispatch.Batch(max: 8));
await ring.StartAsync();

struct Sum : IBatchHandler<int>
{
    public long Total;

    public void OnBatch(Batch<int> batch)
    {
        foreach (ref int item in batch) Total += item;
    }
}
