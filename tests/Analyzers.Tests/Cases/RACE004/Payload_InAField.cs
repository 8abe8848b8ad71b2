// wrong
struct Message
{
    public Payload Body;
}

sealed class Last : IEventHandler<Message>
{
    private ReadOnlyMemory<byte> _body;

    public int Length => _body.Length;

    public void OnEvent(ref Message item, long sequence, bool endOfBatch) => _body = item.Body.Memory; // RACE004
}

// right
struct Message
{
    public Payload Body;
}

sealed class Last : IEventHandler<Message>
{
    private ReadOnlyMemory<byte> _body;

    public int Length => _body.Length;

    public void OnEvent(ref Message item, long sequence, bool endOfBatch) => _body = item.Body.Memory.ToArray();
}
