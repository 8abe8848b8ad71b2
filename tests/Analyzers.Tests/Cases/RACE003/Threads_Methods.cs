// wrong
sealed class Feed(SingleProducer<int> given)
{
    private readonly SingleProducer<int> _producer = given;

    public void Local(SingleProducer<int> producer)
    {
        new Thread(Send).Start();
        new Thread(Send).Start(); // RACE003

        void Send() => producer.Publish(1);
    }

    public void Own()
    {
        new Thread(Send).Start();
        new Thread(Send).Start(); // RACE003
    }

    private void Send() => _producer.Publish(1);
}

// right
sealed class Feed(SingleProducer<int> given)
{
    [ThreadStatic]
    private static SingleProducer<int>? t_producer;

    private readonly SingleProducer<int> _producer = given;

    private SingleProducer<int> Own => t_producer ??= new RingBuffer<int>(8).CreateProducer();

    public static void Start(Feed one, Feed other)
    {
        new Thread(one.Send).Start();
        new Thread(other.Send).Start();
    }

    public void OfEachThread()
    {
        new Thread(() => t_producer!.Publish(1)).Start();
        new Thread(() => t_producer!.Publish(2)).Start();
        new Thread(() => Own.Publish(1)).Start();
        new Thread(() => Own.Publish(2)).Start();
    }

    private void Send() => _producer.Publish(1);
}
