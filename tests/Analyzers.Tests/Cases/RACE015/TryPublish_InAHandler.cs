// wrong
await using var ring = new RingBuffer<int>(16);
SingleProducer<int> producer = ring.CreateProducer();
ring.Subscribe((ref int item) =>
{
    if (item > 0) producer.TryPublish(item - 1); // RACE015
});
await ring.StartAsync();
await ring.DrainAsync(TimeSpan.FromSeconds(10));

// right, without a fix
await using var ring = new RingBuffer<int>(16);
SingleProducer<int> producer = ring.CreateProducer();
ring.Subscribe((ref int item) =>
{
    if (item > 0) _ = producer.TryPublish(item - 1);
});
await ring.StartAsync();
await ring.DrainAsync(TimeSpan.FromSeconds(10));
