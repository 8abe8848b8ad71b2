// wrong
await using var ring = new RingBuffer<int>(16);
SingleProducer<int> producer = ring.CreateProducer();
ring.Subscribe((ref int item) =>
{
    if (item > 0) producer.Publish(item - 1); // RACE006
});
await ring.StartAsync();
producer.Publish(10);
await ring.DrainAsync(TimeSpan.FromSeconds(10));

// right
await using var ring = new RingBuffer<int>(16);
SingleProducer<int> producer = ring.CreateProducer();
ring.Subscribe((ref int item) =>
{
    if (item > 0 && producer.TryPublish(item - 1) != ClaimStatus.Done) Console.WriteLine($"{item} was dropped");
});
await ring.StartAsync();
producer.Publish(10);
await ring.DrainAsync(TimeSpan.FromSeconds(10));
