// wrong
await using var ring = new RingBuffer<int>(1024);
SingleProducer<int> producer = ring.CreateProducer();

List<Task> tasks = [];
for (int i = 0; i < 4; i++)
{
    int value = i;
    tasks.Add(Task.Run(() => producer.Publish(value))); // RACE003
}

await Task.WhenAll(tasks);

// right
await using var ring = new RingBuffer<int>(1024, new() { Producers = ProducerKind.Multi });
List<Task> tasks = [];
for (int i = 0; i < 4; i++)
{
    int value = i;
    tasks.Add(Task.Run(() =>
    {
        using MultiProducer<int> producer = ring.CreateMultiProducer();
        producer.Publish(value);
    }));
}

await Task.WhenAll(tasks);
