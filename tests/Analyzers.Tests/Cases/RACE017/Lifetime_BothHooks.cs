// wrong
sealed class Journal(string path) : IEventHandler<byte>
{
    private FileStream? _file;

    public void OnStart() => _file = File.Create(path); // RACE017

    public void OnEvent(ref byte item, long sequence, bool endOfBatch) => _file!.WriteByte(item);

    public void OnStop() => _file?.Dispose(); // RACE017
}

// fixed
sealed class Journal(string path) : IEventHandler<byte>, IStageLifetime
{
    private FileStream? _file;

    public void OnStart() => _file = File.Create(path);

    public void OnEvent(ref byte item, long sequence, bool endOfBatch) => _file!.WriteByte(item);

    public void OnStop() => _file?.Dispose();
}
