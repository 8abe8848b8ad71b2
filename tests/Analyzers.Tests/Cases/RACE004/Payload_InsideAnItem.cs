// wrong
struct Message
{
    public long Id;
    public Payload Body;
}

sealed class Keep : IBatchHandler<Message>
{
    private readonly Queue<Message> _kept = new();

    public void OnBatch(Batch<Message> batch)
    {
        foreach (ref Message message in batch) _kept.Enqueue(message); // RACE004
    }
}

// right
struct Message
{
    public long Id;
    public Payload Body;
}

sealed class Keep : IBatchHandler<Message>
{
    private readonly Queue<(long, RetainedPayload)> _kept = new();

    public void OnBatch(Batch<Message> batch)
    {
        foreach (ref Message message in batch) _kept.Enqueue((message.Id, message.Body.Retain()));
    }
}
