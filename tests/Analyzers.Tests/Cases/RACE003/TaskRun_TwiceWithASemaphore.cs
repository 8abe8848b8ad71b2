// wrong
await using var ring = new RingBuffer<int>(1024);
SingleProducer<int> producer = ring.CreateProducer();

using var gate = new SemaphoreSlim(1);
Task first = Task.Run(() => producer.Publish(1));
Task second = Task.Run(() => producer.Publish(2)); // RACE003
await Task.WhenAll(first, second);
await gate.WaitAsync();

// right
await using var ring = new RingBuffer<int>(1024);
SingleProducer<int> producer = ring.CreateProducer();

using var gate = new SemaphoreSlim(1);
Task first = Task.Run(() => PublishAsync(1));
Task second = Task.Run(async () =>
{
    await gate.WaitAsync();
    producer.Publish(2);
    producer.ReleaseThread();
    gate.Release();
});
Task third = Task.Run(async () =>
{
    await gate.WaitAsync();
    producer.Publish(3);
    gate.Release();
});
await Task.WhenAll(first, second, third);

async Task PublishAsync(int item)
{
    await gate.WaitAsync();
    await producer.PublishAsync(item);
    gate.Release();
}
