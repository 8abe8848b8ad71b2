using System.Text;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Suites.MainJob;

public sealed class LineReaderTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("", 0)]
    [InlineData("\n", 1)]
    [InlineData("a", 1)]
    [InlineData("a\n", 1)]
    [InlineData("a\nb", 2)]
    [InlineData("a\r\nb\r\n", 2)]
    [InlineData("\n\n\n", 3)]
    [InlineData("a\n\n", 2)]
    [InlineData("0123456789abcde\n0123456789abcdef\n0123456789abcdefg\n", 3)]
    [InlineData("a line that is longer than the chunk it begins in\nand\nmore", 3)]
    public void Read_OddContent_CountsLinesAsGrepDoes(string content, int lines)
    {
        string path = _folder.Write("file", content);

        Assert.Equal(lines, ReadAll([path], chunkSize: 16).Count);
    }

    [Theory]
    [InlineData(16)]
    [InlineData(100)]
    [InlineData(ChunkPool.ChunkSize)]
    public void Read_AnyChunkSize_GivesEveryByteBack(int chunkSize)
    {
        string[] files = [.. Directory.GetFiles(_folder.WriteOddFiles(), "*", SearchOption.AllDirectories).Order()];

        List<(int File, byte[] Bytes)> lines = ReadAll(files, chunkSize);

        for (int file = 0; file < files.Length; file++)
        {
            byte[] joined = [.. lines.Where(line => line.File == file).SelectMany(line => line.Bytes)];
            Assert.Equal(File.ReadAllBytes(files[file]), joined);
        }
    }

    [Fact]
    public void Read_Crlf_KeepsTheCarriageReturnInTheLine()
    {
        string path = _folder.Write("file", "a\r\n");
        using var pool = new ChunkPool();
        using var reader = new LineReader([path], pool);
        var line = new Line[1];

        Assert.Equal(1, reader.Read(line));
        Assert.Equal("a\r", Encoding.ASCII.GetString(line[0].Bytes));
        Assert.Equal(1, line[0].Terminator);
    }

    [Fact]
    public void Read_NoFinalNewline_HasNoTerminator()
    {
        string path = _folder.Write("file", "a\nb");
        using var pool = new ChunkPool();
        using var reader = new LineReader([path], pool);
        var lines = new Line[4];

        // The reader hands out what it has before it finds the end of the file.
        Assert.Equal(1, reader.Read(lines));
        Assert.Equal(1, reader.Read(lines.AsSpan(1)));
        Assert.Equal(1, lines[0].Terminator);
        Assert.Equal(0, lines[1].Terminator);
        Assert.Equal(0, reader.Read(lines));
    }

    [Fact]
    public void Read_LineOf100Megabytes_IsOneLine()
    {
        const int length = 100_000_000;
        byte[] content = new byte[length + 2];
        Array.Fill(content, (byte)'x');
        content[length] = (byte)'\n';
        string path = _folder.Write("file", content);
        using var pool = new ChunkPool(budget: 1 << 20);
        using var reader = new LineReader([path], pool);
        var lines = new Line[2];

        Assert.Equal(1, reader.Read(lines));
        Assert.Equal(length, lines[0].Length);
        Assert.Equal(content.AsSpan(0, length), lines[0].Bytes);
        Assert.Equal(1, reader.Read(lines.AsSpan(1)));
        Assert.Equal(1, lines[1].Length);
    }

    [Fact]
    public void Read_ManySmallFiles_ShareChunks()
    {
        string[] files = [.. Enumerable.Range(0, 100).Select(i => _folder.Write($"file{i:000}", $"{i}\n"))];
        using var pool = new ChunkPool();
        using var reader = new LineReader(files, pool);
        var lines = new Line[256];
        for (int count = 0, read; (read = reader.Read(lines.AsSpan(count))) > 0;)
        {
            count += read;
        }

        Assert.Equal(1, pool.ChunksOut);
        Assert.Equal(Enumerable.Range(0, 100), lines.Take(100).Select(line => line.FileIndex));
    }

    [Fact]
    public void Read_LinesReleasedInOrder_GivesEveryChunkBack()
    {
        string path = _folder.Write("file", string.Concat(Enumerable.Repeat("a line\n", 10_000)));
        using var pool = new ChunkPool(budget: 256, chunkSize: 64);
        using var reader = new LineReader([path], pool);
        var totals = new LineTotals();
        var lines = new Line[7];
        for (int read; (read = reader.Read(lines)) > 0;)
        {
            totals.Add(lines.AsSpan(0, read));
        }

        totals.Complete();
        Assert.Equal(10_000, totals.Lines);
        Assert.Equal(0, pool.ChunksOut);
    }

    [Fact]
    public void Read_FileVanished_NamesIt()
    {
        string there = _folder.Write("there", "a\n");
        string gone = _folder.File("gone");
        using var pool = new ChunkPool();
        using var reader = new LineReader([there, gone], pool);
        var lines = new Line[4];
        Assert.Equal(1, reader.Read(lines));

        InputException error = Assert.Throws<InputException>(() => reader.Read(lines));
        Assert.Contains(gone, error.Message, StringComparison.Ordinal);
        Assert.Contains("vanished", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_FileThatGrows_IsReadToTheEndMet()
    {
        string path = _folder.Write("file", "a\n");
        using var pool = new ChunkPool();
        using var reader = new LineReader([path], pool);
        var lines = new Line[4];
        Assert.Equal(1, reader.Read(lines));
        File.AppendAllText(path, "b\nc\n");

        Assert.Equal(2, reader.Read(lines));
        Assert.Equal(0, reader.Read(lines));
        File.AppendAllText(path, "d\n");
        Assert.Equal(0, reader.Read(lines));
        Assert.Equal(6, reader.FileBytes[0]);
    }

    [Fact]
    public void Rent_StopRequestedWhileTheBudgetIsSpent_Throws()
    {
        using var stop = new CancellationTokenSource();
        using var pool = new ChunkPool(budget: 1, chunkSize: 16, stop.Token);
        string path = _folder.Write("file", new string('\n', 100));
        using var reader = new LineReader([path], pool);
        var lines = new Line[16];
        Assert.Equal(16, reader.Read(lines));
        Assert.Equal(16, reader.Read(lines));
        Assert.Equal(16, reader.Read(lines));
        stop.Cancel();

        Assert.Throws<OperationCanceledException>(() => reader.Read(lines));
    }

    private static List<(int File, byte[] Bytes)> ReadAll(IReadOnlyList<string> files, int chunkSize)
    {
        using var pool = new ChunkPool(budget: long.MaxValue, chunkSize);
        using var reader = new LineReader(files, pool);
        var lines = new Line[3];
        var found = new List<(int, byte[])>();
        for (int read; (read = reader.Read(lines)) > 0;)
        {
            foreach (ref Line line in lines.AsSpan(0, read))
            {
                found.Add((line.FileIndex, line.Chunk.Buffer[line.Offset..(line.Offset + line.Length + line.Terminator)]));
            }
        }

        return found;
    }
}
