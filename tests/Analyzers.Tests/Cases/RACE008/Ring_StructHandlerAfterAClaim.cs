// wrong
await using var ring = new RingBuffer<int>(16);
MultiProducer<int> producer = ring.CreateMultiProducer();
await ring.StartAsync();
Fill(producer.Claim(4)); // RACE008
ring.Slots.SubscribeEvents<int, Print>(new Print());

static void Fill(Claim<int> claim) => claim.Commit();

struct Print : IEventHandler<int>
{
    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);
}

// right
await using var ring = new RingBuffer<int>(16);
MultiProducer<int> producer = ring.CreateMultiProducer();
await ring.StartAsync();
AddStages(ring);
Fill(producer.Claim(4));
ring.Slots.SubscribeEvents<int, Print>(new Print());

static void AddStages(RingBuffer<int> ring) => ring.Subscribe(static (ref int item) => item++);
static void Fill(Claim<int> claim) => claim.Commit();

struct Print : IEventHandler<int>
{
    public void OnEvent(ref int item, long sequence, bool endOfBatch) => Console.WriteLine(item);
}
