using Raceway.Interop.Journal.Files;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Files;

/// <summary>A folder's name is durable before a journal's first file is in it.</summary>
public sealed class FolderTests
{
    [Fact]
    public void MakeFolder_OneThatIsNotThere_SyncsTheNamesAboveItFirst()
    {
        using var folder = new TempFolder();
        string above = Path.Combine(folder.Path, "data");
        string own = Path.Combine(above, "orders");
        File.WriteAllText(Path.Combine(folder.Path, "other"), "");

        Assert.Equal([folder.Path, above], Synced(own));
        Assert.True(Directory.Exists(own));
    }

    // A process that was killed has made it, and has not come to the sync.
    [Fact]
    public void MakeFolder_OneThatIsEmpty_SyncsItsName()
    {
        using var folder = new TempFolder();
        string own = Directory.CreateDirectory(Path.Combine(folder.Path, "orders")).FullName;

        Assert.Equal([folder.Path], Synced(own));
    }

    [Fact]
    public void MakeFolder_OneWithSomethingInIt_SyncsNothing()
    {
        using var folder = new TempFolder();
        string own = Directory.CreateDirectory(Path.Combine(folder.Path, "orders")).FullName;
        File.WriteAllText(Path.Combine(own, "file"), "");

        Assert.Empty(Synced(own));
    }

    [Fact]
    public void MakeFolder_AnEmptyOneInAFolderOfAnotherUser_IsTakenAsItIs()
    {
        using var folder = new TempFolder();
        string own = Directory.CreateDirectory(Path.Combine(folder.Path, "orders")).FullName;

        SystemFiles.MakeFolder(own, static _ => throw new UnauthorizedAccessException());
        Assert.Throws<UnauthorizedAccessException>(
            () => SystemFiles.MakeFolder(Path.Combine(own, "new"), static _ => throw new UnauthorizedAccessException()));
    }

    private static List<string> Synced(string folder)
    {
        List<string> synced = [];
        SystemFiles.MakeFolder(folder, synced.Add);
        return synced;
    }
}
