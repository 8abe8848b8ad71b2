namespace Raceway.Logging.Tests.Files;

/// <summary>Files that begin anew by size and by day, and how many of them stay.</summary>
public sealed class RollingTests : IDisposable
{
    private readonly TempFolder _folder = new();
    private readonly VirtualTime _time = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Size_Reached_BeginsTheNextFileAndSplitsNoEntry()
    {
        const int Count = 2000, Most = 1024;
        using (var file = new LogFile(_folder.File(), new LogFileOptions { MaxEntryBytes = 256, MaxFileBytes = Most }))
            for (int i = 0; i < Count; i++) file.Numbered(0, i);

        string[] names = ["app.log", .. _folder.Names().Where(static name => name != "app.log")];
        Assert.InRange(names.Length, 10, 999);
        Assert.Equal("app.001.log", names[1]);
        Assert.All(names, name => Assert.InRange(new FileInfo(_folder.File(name)).Length, 1, Most));
        Assert.All(names[..^1], name => Assert.InRange(new FileInfo(_folder.File(name)).Length, Most - 10, Most));
        Assert.Equal([Count], LogLines.AssertInOrder(names.SelectMany(_folder.Lines), 1));
    }

    [Fact]
    public void Restart_GoesOnInTheLastFile()
    {
        var options = new LogFileOptions { MaxEntryBytes = 256, MaxFileBytes = 256 };
        int next = 0;
        for (int life = 0; life < 10; life++)
        {
            using var file = new LogFile(_folder.File(), options);
            for (int i = 0; i < 13; i++) file.Numbered(0, next++);
        }

        string[] names = ["app.log", .. _folder.Names().Where(static name => name != "app.log")];
        Assert.All(names, name => Assert.InRange(new FileInfo(_folder.File(name)).Length, 1, 256));
        Assert.Equal([next], LogLines.AssertInOrder(names.SelectMany(_folder.Lines), 1));
    }

    [Fact]
    public void Retained_OnlyTheNewestStay_AndNoOtherFileIsTouched()
    {
        string[] others =
        [
            "app.txt", "app.log.1", "app-old.log", "app.1.log", "app.abc.log", "myapp.001.log", "app-20200101.log", "app.20200101.log", "app.0002.log",
            "app.261124.log", "app.202611.log", "app.2026330.log", "app.000000999.log", "app.1000000000.log",
        ];
        foreach (string other in others) File.WriteAllText(_folder.File(other), "");
        using (var file = new LogFile(_folder.File(), new LogFileOptions { MaxEntryBytes = 256, MaxFileBytes = 256, RetainedFiles = 3 }))
            for (int i = 0; i < 1000; i++) file.Numbered(0, i);

        string[] own = [.. _folder.Names().Except(others)];
        Assert.Equal(3, own.Length);
        Assert.Equal("0 999", _folder.Lines(own[^1])[^1]);
        Assert.Equal(others.Length + 3, _folder.Names().Length);
    }

    [Fact]
    public void Number_OfManyDigits_IsGoneOnFrom()
    {
        File.WriteAllText(_folder.File("app.99999.log"), new string('x', 256));
        for (int life = 0; life < 2; life++)
        {
            using (var file = new LogFile(_folder.File(), new LogFileOptions { MaxEntryBytes = 256, MaxFileBytes = 256, RetainedFiles = 1 }))
                file.Numbered(0, life);
            Assert.Equal([$"app.{100_000 + life:000000000}.log"], _folder.Names());
            File.WriteAllText(_folder.File(_folder.Names()[0]), new string('x', 256));
        }
    }

    // A day, a month, a day of a year: another program's file is neither written to nor taken for the last one.
    [Theory]
    [InlineData("app.261124.log")]
    [InlineData("app.202611.log")]
    [InlineData("app.2026330.log")]
    [InlineData("app.20261124.log")]
    public void Date_InTheNameOfAnother_IsNoNumber(string other)
    {
        File.WriteAllText(_folder.File(other), "theirs\n");
        using (var file = new LogFile(_folder.File(), new LogFileOptions { MaxEntryBytes = 256, MaxFileBytes = 256, RetainedFiles = 1 }))
            file.Numbered(0, 1);
        Assert.Equal([other, "app.log"], _folder.Names());
        Assert.Equal(["theirs"], _folder.Lines(other));
    }

    [Fact]
    public async Task Day_Over_BeginsTheNextFile()
    {
        await using var file = new LogFile(_folder.File(), new LogFileOptions { Time = _time, RollDaily = true, RetainedFiles = 2 });
        for (int day = 0; day < 4; day++)
        {
            file.Numbered(0, day);
            Assert.True(file.Flush());
            _time.Advance(TimeSpan.FromDays(1));
        }

        Assert.Equal(["app-19700103.log", "app-19700104.log"], _folder.Names());
        Assert.Equal(["0 3"], _folder.Lines("app-19700104.log"));
    }

    [Fact]
    public async Task Day_AndSize_NumberAnewEachDay()
    {
        await using var file = new LogFile(
            _folder.File(), new LogFileOptions { Time = _time, RollDaily = true, MaxEntryBytes = 256, MaxFileBytes = 256 });
        for (int day = 0; day < 2; day++)
        {
            for (int i = 0; i < 100; i++) file.Numbered(day, i);
            Assert.True(file.Flush());
            _time.Advance(TimeSpan.FromDays(1));
        }

        Assert.Equal(["app-19700101.001.log", "app-19700101.log", "app-19700102.001.log", "app-19700102.log"], _folder.Names());
    }
}
