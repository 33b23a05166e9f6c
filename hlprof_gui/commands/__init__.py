"""Every action of the window, declared once: menus, toolbar, shortcuts, palette and help are made from the list."""
