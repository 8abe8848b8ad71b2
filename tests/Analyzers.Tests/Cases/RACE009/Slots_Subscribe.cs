// wrong
await using var ring = new RingBuffer<int>(16);
var print = new Print();
ring.Slots.Subscribe(print); // RACE009
await ring.StartAsync();

struct Print : IEventHandler<int>
{
    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);
}

// fixed
await using var ring = new RingBuffer<int>(16);
var print = new Print();
ring.Slots.SubscribeEvents(print);
await ring.StartAsync();

struct Print : IEventHandler<int>
{
    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);
}
